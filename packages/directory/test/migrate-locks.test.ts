/** A migration that has to wait for a lock, behind a scan or a dump, does not keep readers waiting behind it. */
import { migrate, type Migration, readMigrations } from '@clientele/directory';
import { expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';

const migrations = await readMigrations();
const number = migrations.length + 1;
const altering: Migration = {
  number,
  name: `0000${number}_altering.sql`,
  sql: 'alter table public.customers add column nickname text',
  checksum: 'altering',
  oldestProgram: number,
};

/** A session that has read customers and keeps its transaction open, as pg_dump does. */
async function openDump(database: TestDatabase) {
  const dump = await database.connect();
  await dump.query(`set application_name = 'pg_dump'; begin; select from customers limit 1`);
  return dump;
}

const waitsForLock = async (database: TestDatabase): Promise<void> => {
  await vi.waitUntil(
    async () => {
      const rows = await database.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    },
    { timeout: 300_000, interval: 20 },
  );
};

test('readers do not wait for the dump to end, and the migration is applied once the lock is free', async () => {
  await using database = await createTestDatabase();
  const dump = await openDump(database);
  const lines: string[] = [];
  const migrated = migrate(
    await database.connect(),
    [...migrations, altering],
    (line) => lines.push(line),
    { pauseMs: 100, attempts: 1_000 },
  );
  const reader = await database.connect();
  await reader.query(`set statement_timeout = '20s'`);
  await waitsForLock(database);
  // Without a lock timeout, this read would time out.
  await reader.query('select from customers limit 1');
  await vi.waitUntil(() => lines.length > 0, { timeout: 300_000 });
  expect(lines[0]).toMatch(
    /^0000\d+_altering\.sql waits for a lock, and is tried again in 0\.1 s \(1 of 1000\)\. The oldest open transaction is that of pg_dump \(process \d+\), open for \d+ s\.$/,
  );
  await dump.query('commit');
  expect(await migrated).toEqual([altering.name]);
  expect(lines.at(-1)).toBe(`Applied ${altering.name}.`);
});

test('a lock that is never free: it gives up, names who holds it, and leaves nothing behind', async () => {
  await using database = await createTestDatabase();
  const dump = await openDump(database);
  const client = await database.connect();
  const retries = { pauseMs: 10, attempts: 3 };
  const lines: string[] = [];
  await expect(
    migrate(client, [...migrations, altering], (line) => lines.push(line), retries),
  ).rejects.toMatchObject({
    name: 'MigrationError',
    message: expect.stringMatching(
      /_altering\.sql failed: another session holds a lock that it needs\. The oldest open transaction is that of pg_dump .*\nWait for it or end it, then run: clientele migrate$/,
    ),
  });
  expect(lines).toHaveLength(2);
  await dump.query('commit');
  expect(await client.query(`show lock_timeout`)).toMatchObject({ rows: [{ lock_timeout: '0' }] });
  expect(await migrate(client, [...migrations, altering])).toEqual([altering.name]);
});
