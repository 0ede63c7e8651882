/** While a migration waits for the lock of a dump, an instance fails no request. */
import { migrate, readMigrations } from '@clientele/directory';
import { createTestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { customers, reads } from './setup/customers.ts';
import { makeKey, startService } from './setup/executable.ts';
import { startLoad, failures } from './setup/load.ts';

test('lists, searches and lookups succeed while an ALTER TABLE waits for a dump, and afterwards', async () => {
  await using database = await createTestDatabase();
  await database.insert(customers);
  const key = await makeKey(database.url);
  const migrations = await readMigrations();
  const number = migrations.length + 1;
  const altering = {
    number,
    name: `0000${number}_altering.sql`,
    sql: 'alter table public.customers add column nickname text',
    checksum: 'altering',
    oldestProgram: number - 1,
  };
  await using service = await startService({ DATABASE_URL: database.url });
  // Not more clients than connections: what is measured is the wait for the lock.
  await using load = startLoad({ targets: [service.url], paths: reads, key, clients: 3 });
  await load.next(({ status }) => status === 200);
  const dump = await database.connect();
  await dump.query('begin; select from customers limit 1');
  const waits = Promise.withResolvers<void>();
  let attempts = 0;
  const migrated = migrate(
    await database.connect(),
    [...migrations, altering],
    (line) => {
      attempts += line.includes('waits for a lock') ? 1 : 0;
      if (attempts === 5) waits.resolve();
    },
    { pauseMs: 100, attempts: 1_000 },
  );
  await waits.promise;
  await dump.query('commit');
  expect(await migrated).toEqual([altering.name]);
  await load.next(({ path }) => path === '/v3/customers');
  await load.stop();
  expect(failures(load.responses)).toEqual({});
});
