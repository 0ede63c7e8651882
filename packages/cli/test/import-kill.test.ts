/**
 * An import that is killed at any moment and started again ends as if it had not been interrupted.
 * `IMPORT_KILLS=200` kills it more often, and uses a file of 100,000 records.
 */
import { chmod, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, readMigrations } from '@clientele/directory';
import { startPrivatePostgres } from '@clientele/sandbox';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import {
  installedPostgres,
  createTestDatabase,
  type TestDatabase,
  temporaryFolder,
} from '@clientele/sandbox/testing';
import { clientele, startClientele } from './setup/executable.ts';
import { resetDatabase, importedState, writeCsv } from './setup/import-runs.ts';

const steps = ['before_rows', 'before_checkpoint', 'at_commit'] as const;

/** Makes a step of an import wait for a lock that the test holds. */
async function holdImports(database: TestDatabase) {
  const holder = await database.connect();
  await database.query(`
    create table public.hold (at text);
    insert into public.hold values (null);
    create function public.wait_here() returns trigger language plpgsql security definer as $$
    begin
      if tg_name = (select at from public.hold) then
        perform pg_advisory_xact_lock_shared(17);
      end if;
      return coalesce(new, old);
    end
    $$;
    create trigger before_rows before insert on public.customers
      for each statement execute function public.wait_here();
    create trigger before_checkpoint before update on clientele.imports
      for each row execute function public.wait_here();
    create constraint trigger at_commit after update on clientele.imports
      deferrable initially deferred for each row execute function public.wait_here()`);
  await holder.query('select pg_advisory_lock(17)');
  return {
    async next(step: (typeof steps)[number] | null) {
      await database.query('update public.hold set at = $1', [step]);
    },
    async reached() {
      await vi.waitFor(
        async () => {
          const waiting = await database.query(
            `select from pg_locks where locktype = 'advisory' and objid = 17 and not granted`,
          );
          if (waiting.length === 0) throw new Error('the import has not reached this step');
        },
        { timeout: 300_000, interval: 10 },
      );
    },
    async release() {
      await holder.query('select pg_advisory_unlock(17)');
      await holder.query('select pg_advisory_lock(17)');
    },
  };
}

test('killed before the rows, before the checkpoint and during the commit of each batch', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  const file = folder.path('customers.csv');
  await writeCsv(file, 40, 9);
  const args = ['import', file, '--batch', '10', '--rejects', folder.path('rejects.csv')];
  expect((await clientele(args, env)).code).toBe(3);
  const uninterrupted = await importedState(database);
  const expectedRejects = await readFile(folder.path('rejects.csv'), 'utf8');
  expect(uninterrupted.counts).toMatchObject({ read: 49, inserted: 40, rejected: 3 });
  await resetDatabase(database);

  const hold = await holdImports(database);
  for (let batch = 1; batch <= 5; batch += 1) {
    for (const step of steps) {
      await hold.next(step);
      await using run = startClientele(args, env);
      await hold.reached();
      run.kill('SIGKILL');
      await run.exited;
      await hold.release();
      const expected = (step === 'at_commit' ? batch : batch - 1) * 10;
      await vi.waitFor(
        async () =>
          expect(
            await database.query('select i.read::int from clientele.imports as i'),
            `batch ${batch}, ${step}`,
          ).toEqual([{ read: Math.min(49, expected) }]),
        { timeout: 300_000, interval: 10 },
      );
    }
  }
  await hold.next(null);
  expect((await clientele(args, env)).stderr).toContain('resuming after 49 records');
  expect(await importedState(database)).toEqual(uninterrupted);
  expect(await readFile(folder.path('rejects.csv'), 'utf8')).toBe(expectedRejects);
});

const kills = Number(process.env['IMPORT_KILLS'] ?? 2);
const records = process.env['IMPORT_KILLS'] ? 100_000 : 10_000;

test(
  `killed at ${kills} random moments while importing ${records} records`,
  { timeout: 3_600_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    // Updating this index takes most of the time and does not affect what is written.
    await database.query('drop index public.customers_search');
    const env = { DATABASE_URL: database.url };
    const file = folder.path('customers.csv');
    await writeCsv(file, records - 1_000, 1_000);
    const rejects = folder.path('rejects.csv');
    const args = ['import', file, '--batch', '1000', '--rejects', rejects, '--quiet'];
    const started = performance.now();
    expect((await clientele(args, env)).code).toBe(3);
    const whole = performance.now() - started;
    const uninterrupted = await importedState(database);
    const expectedRejects = await readFile(rejects, 'utf8');
    expect(uninterrupted.counts).toMatchObject({ read: records, inserted: records - 1_000 });
    expect(uninterrupted.counts.rejected).toBeGreaterThan(300);

    let killed = 0;
    while (killed < kills) {
      await resetDatabase(database);
      for (let finished = false; !finished;) {
        await using run = startClientele(args, env);
        // Deliberately not synchronized with the import: any moment must work.
        const moment = killed < kills ? Math.random() * Math.max(600, whole / 3) : Infinity;
        const timer = new AbortController();
        const ended = await Promise.race([
          run.exited,
          ...(moment === Infinity ? [] : [sleep(moment, undefined, { signal: timer.signal })]),
        ]);
        timer.abort();
        if (ended === undefined) {
          run.kill('SIGKILL');
          await run.exited;
          killed += 1;
        } else {
          expect(ended.code, ended.stderr).toBe(3);
          finished = true;
        }
      }
      expect(await importedState(database)).toEqual(uninterrupted);
      expect(await readFile(rejects, 'utf8')).toBe(expectedRejects);
    }
  },
);

test('an import waits for a database that restarts, reports it, and gives the same result', async () => {
  await using folder = await temporaryFolder();
  const postgres = await installedPostgres();
  // PostgreSQL may run as another user.
  await chmod(folder.path('.'), 0o755);
  const dataDir = folder.path('data');
  let cluster = await startPrivatePostgres({ postgres: postgres!, dataDir });
  const client = async (): Promise<pg.Client> => {
    const connected = new pg.Client({ connectionString: cluster.url });
    connected.on('error', () => undefined);
    await connected.connect();
    return connected;
  };
  const query = async <Row extends object>(text: string): Promise<Row[]> => {
    const connected = await client();
    try {
      return (await connected.query<Row>(text)).rows;
    } finally {
      await connected.end();
    }
  };
  try {
    const owner = await client();
    await migrate(owner, await readMigrations());
    await owner.query('drop index public.customers_search');
    await owner.end();
    const file = folder.path('customers.csv');
    await writeCsv(file, 20_000, 500);
    const args = ['import', file, '--batch', '500', '--rejects', folder.path('rejects.csv')];
    const env = { DATABASE_URL: cluster.url };
    expect((await clientele(args, env)).code).toBe(3);
    const uninterrupted = await importedState({ query });
    await resetDatabase({ query });

    for (const mode of ['fast', 'immediate'] as const) {
      await using run = startClientele(args, env);
      await vi.waitFor(
        async () => {
          const [at] = await query<{ read: number }>(
            'select max(read)::int as read from clientele.imports',
          );
          expect(at!.read).toBeGreaterThan(0);
        },
        { timeout: 300_000, interval: 10 },
      );
      await cluster.stop(mode);
      await run.said(/Lost the connection to the database/);
      cluster = await startPrivatePostgres({ postgres: postgres!, dataDir, port: cluster.port });
      await run.said(/Reconnected to the database\. Resuming after \d+ records/);
      const { code, stderr } = await run.exited;
      expect(code, stderr).toBe(3);
      expect(await importedState({ query })).toEqual(uninterrupted);
      await resetDatabase({ query });
    }
  } finally {
    await cluster.stop();
  }
});
