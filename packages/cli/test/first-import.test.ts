/**
 * An import into an empty directory builds the search index after the rows. However it is interrupted, the
 * index is built in the end. `IMPORT_KILLS=200` kills it more often, and uses a file of 100,000 records.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';
import { clientele, startClientele, type Executable } from './setup/executable.ts';
import { importedState, resetDatabase, writeCsv } from './setup/import-runs.ts';

/** The index, if it exists and is valid, and whether it is still to be built. */
async function searchIndex(database: TestDatabase) {
  const [state] = await database.query<{ index: string | null; oid: number; deferred: boolean }>(`
    select x.indexrelid::bigint::int as oid,
      case when x.indisvalid and x.indisready then pg_get_indexdef(x.indexrelid) end as index,
      exists (select from clientele.deferred_indexes) as deferred
    from (select) as one
    left join pg_index as x on x.indexrelid = to_regclass('public.customers_search')`);
  return state!;
}

const built = { index: expect.stringContaining('gin (search_text gin_trgm_ops)'), deferred: false };
const missing = { index: null, oid: null, deferred: true };

const read = async (database: TestDatabase): Promise<number> =>
  (
    await database.query<{ n: number }>(
      'select coalesce(max(read), 0)::int n from clientele.imports',
    )
  )[0]!.n;

/** Starts a first import and stops it where it builds the index: its rows are committed. */
async function importUpToTheIndex(database: TestDatabase, args: string[], records: number) {
  const writer = await database.connect();
  const run = startClientele(args, { DATABASE_URL: database.url });
  await vi.waitFor(async () => expect(await searchIndex(database)).toMatchObject(missing), {
    timeout: 300_000,
    interval: 5,
  });
  await writer.query('begin; lock table public.customers in row exclusive mode');
  await vi.waitFor(
    async () => {
      expect(
        await database.query(
          `select from pg_locks where relation = 'public.customers'::regclass
             and mode = 'ShareLock' and not granted`,
        ),
      ).toHaveLength(1);
    },
    { timeout: 300_000, interval: 5 },
  );
  expect(await read(database)).toBe(records);
  return { run, release: () => writer.query('rollback') };
}

async function kill(run: Executable): Promise<void> {
  run.kill('SIGKILL');
  await run.exited;
}

/** PostgreSQL may take a while to notice that a killed command is gone, and to release its locks. */
const sessionsEnd = (database: TestDatabase): Promise<void> =>
  vi.waitFor(
    async () => {
      const left = `select from pg_stat_activity
        where datname = current_database() and application_name like 'clientele%'`;
      expect(await database.query(left)).toEqual([]);
    },
    { timeout: 300_000, interval: 20 },
  );

test('a first import gives the same customers as one with the index, and the same index', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  const before = await searchIndex(database);
  const file = folder.path('customers.csv');
  await writeCsv(file, 5_000, 500);
  const args = ['import', file, '--batch', '500', '--rejects', folder.path('rejects.csv')];
  const insert = `insert into customers (full_name, email_address) values ('A', 'a@b.example')`;
  await database.query(insert);
  expect((await clientele(args, env)).code).toBe(3);
  expect(await searchIndex(database)).toEqual(before);
  await database.query(`delete from customers where email_address = 'a@b.example'`);
  const withIndex = await importedState(database);
  await resetDatabase(database);

  expect((await clientele(args, env)).code).toBe(3);
  expect(await importedState(database)).toEqual(withIndex);
  const after = await searchIndex(database);
  expect(after).toMatchObject({ index: before.index, deferred: false });
  expect(after.oid).not.toBe(before.oid);
  await resetDatabase(database);

  expect((await clientele([...args, '--replace', '--yes', '--despite-rejects'], env)).code).toBe(3);
  expect((await importedState(database)).hash).toBe(withIndex.hash);
  expect(await searchIndex(database)).toMatchObject(built);
});

test('a first import does not bring back erased customers, and fills in defaults', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  const file = folder.path('customers.csv');
  await writeCsv(file, 100, 0);
  await clientele(['import', file], env);
  const [someone] = await database.query<{ uuid: string }>('select uuid from customers limit 1');
  await database.query('truncate customers, clientele.imports');
  await database.query('select clientele.erase_customer($1)', [someone!.uuid]);
  const { stderr } = await clientele(['import', file], env);
  expect(stderr).toContain(
    '99 inserted, 0 updated, 0 unchanged, 0 rejected, 0 superseded, 1 suppressed',
  );

  await resetDatabase(database);
  const few = ['import', '-', '--columns', 'uuid,full_name,email_address'];
  await using run = startClientele(few, env, { stdin: 'pipe' });
  run.stdin!.end('018f2b1c-0000-7000-8000-000000000001,Anna,anna@mail.example\n');
  expect((await run.exited).code).toBe(0);
  expect(
    await database.query(
      `select is_verified, total_orders::int, lifetime_value_cents::int, last_order_at,
         now() - created_at < '1 minute' as recent from customers`,
    ),
  ).toEqual([
    {
      is_verified: false,
      total_orders: 0,
      lifetime_value_cents: 0,
      last_order_at: null,
      recent: true,
    },
  ]);
});

test('first imports that begin at the same moment do not fail each other', async () => {
  await using database = await createTestDatabase();
  const [other, one, two] = await Promise.all([1, 2, 3].map(() => database.connect()));
  // Both wait for it, and are then let into the table together.
  await other!.query('begin; lock table public.customers');
  const begun = Promise.all(
    [one!, two!].map((client) => client.query('select clientele.begin_first_import()')),
  );
  const waiting = vi.waitFor(
    async () =>
      expect(
        await database.query(
          `select from pg_locks as l join pg_stat_activity as a using (pid)
           where not l.granted and a.datname = current_database()`,
        ),
      ).toHaveLength(2),
    { timeout: 300_000, interval: 5 },
  );
  // They give up after a second.
  await Promise.race([waiting, begun]);
  await other!.query('rollback');
  // Each drops the index, or keeps it up to date because it waited too long: both are fine.
  await expect(begun, 'a deadlock fails one of them').resolves.toHaveLength(2);
});

test.for(['import', 'other import', 'sync', 'migrate'])(
  'killed while it builds the index, which the next %s builds',
  async (next) => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    const file = folder.path('customers.csv');
    await writeCsv(file, 3_000, 0);
    const args = ['import', file, '--batch', '300'];
    const { run, release } = await importUpToTheIndex(database, args, 3_000);
    await kill(run);
    await release();
    await sessionsEnd(database);
    expect(await searchIndex(database)).toMatchObject(missing);

    await writeCsv(folder.path('other.csv'), 10, 0);
    if (next === 'import') {
      expect((await clientele(args, env)).stderr).toContain('resuming after 3000 records');
    } else if (next === 'other import') {
      expect((await clientele(['import', folder.path('other.csv')], env)).code).toBe(0);
    } else if (next === 'migrate') {
      expect((await clientele(['migrate'], env)).code).toBe(0);
    } else {
      await using sync = startClientele(['sync'], env, { stdin: 'pipe' });
      sync.stdin!.end();
      const { code, stderr } = await sync.exited;
      expect(code, stderr).toBe(0);
    }
    expect(await searchIndex(database)).toMatchObject(built);
    expect((await importedState(database)).count).toBe(3_000);
  },
);

const kills = Number(process.env['IMPORT_KILLS'] ?? 4);
const records = process.env['IMPORT_KILLS'] ? 100_000 : 10_000;

test(
  `killed at ${kills} random moments of a first import, ${records} records and the index`,
  { timeout: 3_600_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    const file = folder.path('customers.csv');
    await writeCsv(file, records - 500, 500);
    const args = ['import', file, '--batch', '1000', '--rejects', folder.path('r.csv'), '--quiet'];
    const started = performance.now();
    expect((await clientele(args, env)).code).toBe(3);
    const whole = performance.now() - started;
    const uninterrupted = await importedState(database);

    for (let killed = 0; killed < kills;) {
      await resetDatabase(database);
      for (let finished = false; !finished;) {
        await using run = startClientele(args, env);
        const moment = killed < kills ? 300 + Math.random() * whole : 600_000;
        const ended = await Promise.race([run.exited, sleep(moment, undefined, { ref: false })]);
        if (ended) {
          expect(ended.code, ended.stderr).toBe(3);
          finished = true;
        } else {
          await kill(run);
          killed += 1;
        }
      }
      expect(await importedState(database)).toEqual(uninterrupted);
      expect(await searchIndex(database)).toMatchObject(built);
    }
  },
);

test.for(['ends', 'is killed'])(
  'of two first imports, the one that finishes builds the index after the other %s',
  async (how) => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    const file = folder.path('customers.csv');
    await writeCsv(file, 3_000, 0);
    const held = folder.path('held.csv');
    await writeFile(
      held,
      'uuid,full_name,email_address\n018f2b1c-0000-7000-8000-000000000001,Held,held@mail.example\n',
    );
    // Its only customer waits for a lock that the test holds.
    await database.query(
      `create function wait_for_test() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(42); return new; end $$;
       create trigger wait_for_test before insert on customers
       for each row when (new.full_name = 'Held') execute function wait_for_test()`,
    );
    const holder = await database.connect();
    await holder.query('select pg_advisory_lock(42)');
    await using open = startClientele(['import', held], env);
    await vi.waitFor(async () => expect(await searchIndex(database)).toMatchObject(missing), {
      timeout: 300_000,
      interval: 5,
    });
    await using closed = startClientele(['import', file, '--batch', '300'], env);
    await closed.said(/Waiting for other imports to finish before building the search index/);
    expect(await searchIndex(database)).toMatchObject(missing);
    expect(await read(database)).toBe(3_000);
    if (how === 'is killed') open.kill('SIGKILL');
    if (how === 'is killed') await open.exited;
    await holder.query('select pg_advisory_unlock(42)');
    expect((await closed.exited).code).toBe(0);
    expect(await searchIndex(database)).toMatchObject(built);
    const { oid } = await searchIndex(database);
    await open.exited;
    expect((await searchIndex(database)).oid, 'it was built once').toBe(oid);
    if (how === 'ends') expect((await importedState(database)).count).toBe(3_001);
  },
);

test('an import that fails half-way reports the missing index', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  const file = folder.path('customers.csv');
  await writeCsv(file, 1_000, 0);
  const second = folder.path('second.csv');
  await writeFile(
    second,
    'uuid,full_name,email_address\n018f2b1c-0000-7000-8000-000000000001,Boom,boom@mail.example\n',
  );
  await database.query(
    `create function fill_disk() returns trigger language plpgsql as
     $$ begin raise exception 'no space left' using errcode = 'disk_full'; end $$;
     create trigger fill_disk before insert on customers
     for each row when (new.full_name = 'Boom') execute function fill_disk()`,
  );
  const { code, stderr } = await clientele(['import', file, second], env);
  expect(code).toBe(1);
  expect(stderr).toContain('customers.csv: imported. Read 1000 records: 1000 inserted');
  expect(stderr).toContain(
    'The search index is not built yet, so searches are slow. Import again, or run: clientele migrate',
  );
  expect(await searchIndex(database)).toMatchObject(missing);
  expect((await clientele(['import', file], env)).stderr).toContain('1000 unchanged');
  expect(await searchIndex(database)).toMatchObject(built);
});

test('a reader that holds the empty table does not delay the import; the index stays', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const before = await searchIndex(database);
  const reader = await database.connect();
  await reader.query('begin; select from customers');
  const file = folder.path('customers.csv');
  await writeCsv(file, 100, 0);
  expect((await clientele(['import', file], { DATABASE_URL: database.url })).code).toBe(0);
  expect(await searchIndex(database)).toEqual(before);
});

test('Ctrl-C says that the index is missing, and the next run continues and builds it', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const file = folder.path('customers.csv');
  await writeCsv(file, 20_000, 0);
  const args = ['import', file, '--batch', '100'];
  const writer = await database.connect();
  await using run = startClientele(args, { DATABASE_URL: database.url });
  await vi.waitFor(async () => expect(await searchIndex(database)).toMatchObject(missing), {
    timeout: 300_000,
    interval: 5,
  });
  // The import waits for this lock until the signal is sent.
  await writer.query('begin; lock table public.customers in share row exclusive mode');
  run.kill('SIGINT');
  await writer.query('rollback');
  const { code, stderr } = await run.exited;
  expect(code).toBe(1);
  expect(stderr).toContain('The search index is not built yet');
  expect(stderr).toContain('The import was stopped. Run the same command again to continue.');
  const again = await clientele(args, { DATABASE_URL: database.url });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('20000 records') });
  expect(await searchIndex(database)).toMatchObject(built);
});
