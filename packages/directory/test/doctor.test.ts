/** Breaks a real database in every way the doctor reports, and repairs it with the suggested remedy. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  addOrder,
  migrate,
  prepareMasking,
  readConnections,
  readMigrations,
} from '@clientele/directory';
import { startPrivatePostgres } from '@clientele/sandbox';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { connectionsNeeded, openDatabase } from '../src/db/database.ts';
import type { Lane } from '../src/db/lane.ts';
import { examine, type NamedFinding } from '../src/doctor/examine.ts';
import type { Circumstances } from '../src/doctor/finding.ts';
import { expectedIndexes } from '../src/doctor/schema.ts';
import {
  createLoginRole,
  createTestDatabase,
  installedPostgres,
  patient,
  startReplicatedPostgres,
  type TestDatabase,
} from '@clientele/sandbox/testing';

const migrations = await readMigrations();

async function examineAll(url: string, given: Partial<Circumstances> = {}) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await examineWith(client, given);
  } finally {
    await client.end();
  }
}

async function examineWith(client: pg.ClientBase, given: Partial<Circumstances> = {}) {
  const circumstances = {
    client,
    migrations,
    connections: readConnections({}),
    longTransaction: 300,
    now: Date.now,
    ...given,
  };
  const findings: NamedFinding[] = [];
  for await (const finding of examine(circumstances)) findings.push(finding);
  return findings;
}

/** The findings of one check that are not ok. */
async function problems(url: string, check: string, given: Partial<Circumstances> = {}) {
  const findings = await examineAll(url, given);
  expect(findings.map((finding) => finding.check)).toContain(check);
  return findings.filter((finding) => finding.check === check && finding.state !== 'ok');
}

/** Breaks the database, expects exactly this finding, runs its remedy (or `repair`), and expects none. */
async function breakAndRepair(
  database: TestDatabase,
  check: string,
  breakage: string,
  expected: Partial<NamedFinding>,
  { given = {}, repair }: { given?: Partial<Circumstances>; repair?: string } = {},
) {
  await database.query(breakage);
  const found = await problems(database.url, check, given);
  expect(found, breakage).toMatchObject([expected]);
  for (const statement of (repair ?? found[0]!.remedy!).split('; ')) {
    await database.query(statement);
  }
  expect(await problems(database.url, check, given), `${breakage}, after its remedy`).toEqual([]);
}

test('a newly migrated database has no problems', async () => {
  await using database = await createTestDatabase();
  const findings = await examineAll(database.url);
  expect(findings.filter(({ state }) => state === 'must-fix' || state === 'unknown')).toEqual([]);
  expect(findings.length).toBeGreaterThan(15);
});

test('the expected indexes are those that the migrations create', async () => {
  await using database = await createTestDatabase();
  const rows = await database.query<{ name: string }>(
    `select schemaname || '.' || indexname as name from pg_indexes
     where tablename in ('customers', 'changes')`,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(expectedIndexes).toSorted());
});

test('migrations: none applied, one missing, a newer database, another cluster', async () => {
  await using empty = await createTestDatabase('template0');
  const command = { state: 'must-fix', remedy: 'clientele migrate' };
  expect(await problems(empty.url, 'migrations')).toMatchObject([command]);
  expect(await problems(empty.url, 'extensions')).toMatchObject([command]);
  await migrate(await empty.connect(), migrations.slice(0, -1));
  expect(await problems(empty.url, 'migrations')).toMatchObject([
    { ...command, found: `The database lacks ${migrations.at(-1)!.name}.` },
  ]);

  await using database = await createTestDatabase();
  const older = await problems(database.url, 'migrations', { migrations: migrations.slice(0, 3) });
  expect(older).toMatchObject([{ state: 'must-fix', remedy: 'Use the newer program.' }]);
  await database.query('update clientele.changes_horizon set cluster = 1');
  expect(await problems(database.url, 'migrations')).toMatchObject([
    { ...command, found: 'The database was restored from another cluster.' },
  ]);
});

test('encoding and locale: LATIN1, and a locale that hides letters from pg_trgm', async () => {
  await using latin = await createTestDatabase('template0', { encoding: 'LATIN1', locale: 'C' });
  expect(await problems(latin.url, 'encoding and locale')).toMatchObject([
    { state: 'must-fix', found: 'The encoding LATIN1 cannot store every name.' },
  ]);
  await using blind = await createTestDatabase('template0', { locale: 'C' });
  const hidden = {
    state: 'must-fix',
    found:
      'With the locale C, pg_trgm ignores non-ASCII letters: searching for them scans the whole table.',
    remedy: expect.stringContaining(`locale 'C.UTF-8'`),
  };
  // As before the first migration, which refuses it.
  expect(await problems(blind.url, 'encoding and locale')).toMatchObject([hidden]);
  await blind.query('create extension pg_trgm');
  expect(await problems(blind.url, 'encoding and locale')).toMatchObject([hidden]);
});

test('encoding and locale: the ICU version has changed', async () => {
  await using database = await createTestDatabase();
  await database.query(`update pg_collation set collversion = '1' where collname = 'und-x-icu'`);
  expect(await problems(database.url, 'encoding and locale')).toMatchObject([{ state: 'warning' }]);
});

test('extensions: a newer pg_trgm is available', async () => {
  await using database = await createTestDatabase('template0');
  await breakAndRepair(database, 'extensions', `create extension pg_trgm version '1.3'`, {
    state: 'warning',
    found: expect.stringMatching(/^pg_trgm 1\.3 is installed; 1\.\d+ is available\.$/),
  });
});

test('indexes: missing and invalid', async () => {
  await using database = await createTestDatabase();
  await breakAndRepair(database, 'indexes', 'drop index customers_search', {
    state: 'must-fix',
    found: 'The index public.customers_search is missing.',
  });
  await breakAndRepair(
    database,
    'indexes',
    `update pg_index set indisvalid = false where indexrelid = 'customers_by_place'::regclass`,
    { state: 'must-fix', remedy: 'reindex index concurrently public.customers_by_place' },
  );
  expect(await problems(database.url, 'indexes')).toEqual([]);
});

test('change log: a disabled trigger, too many entries', async () => {
  await using database = await createTestDatabase();
  const repair = 'alter table public.customers enable always trigger log_updates';
  await breakAndRepair(
    database,
    'change log triggers',
    'alter table customers disable trigger log_updates',
    { state: 'must-fix', remedy: repair },
  );
  await breakAndRepair(
    database,
    'change log',
    'insert into clientele.changes (new_place) select 0 from generate_series(1, 1000001)',
    { state: 'warning', remedy: expect.stringContaining('clientele.trim_changes(500000)') },
    { repair: 'truncate clientele.changes' },
  );
});

test('old text, pending erasures', async () => {
  await using database = await createTestDatabase();
  await database.query(
    `insert into customers (full_name, email_address) values ('Ada', 'ada@mail.example')`,
  );
  await breakAndRepair(
    database,
    'old text',
    `update clientele.change_marks set at = at - interval '25 hours'`,
    { state: 'warning', remedy: expect.stringContaining('clientele.clear_old_text()') },
    { repair: 'select clientele.clear_old_text()' },
  );
  await breakAndRepair(
    database,
    'erasures',
    `insert into clientele.erasures (uuid, erased_at) values (gen_random_uuid(), now() - interval '1 hour')`,
    {
      state: 'warning',
      found:
        '1 erasure is pending, the oldest for 60 minutes: text of these people is left in the database.',
      remedy: expect.stringContaining('clientele erase --pending'),
    },
    {
      repair: `select clientele.analyze_erased(); select clientele.clear_erasures('0 seconds')`,
    },
  );
});

test('roles: missing privileges and privileges that they must not have', async () => {
  await using database = await createTestDatabase();
  const cases = [
    [
      'revoke select on customers from clientele_reader',
      'clientele_reader lacks the select privilege',
    ],
    [
      'grant update on customers to clientele_reader',
      'clientele_reader must not have the update privilege',
    ],
    [
      'revoke delete on customers from clientele_writer',
      'clientele_writer lacks the delete privilege',
    ],
    [
      'grant select on clientele.access_keys to clientele_writer',
      'clientele_writer must not have the select privilege',
    ],
    [
      'grant select on clientele.gone_customers to clientele_reader',
      'clientele_reader must not have the select privilege on clientele.gone_customers',
    ],
    [
      'grant select on clientele.gone_customers to public',
      'Everyone (public) must not have the select privilege on clientele.gone_customers',
    ],
    [
      'grant select on customers to public',
      'Everyone (public) must not have the select privilege on public.customers',
    ],
    [
      'grant execute on function clientele.log_change() to public',
      'Everyone (public) must not have the execute privilege on function clientele.log_change()',
    ],
  ] as const;
  for (const [breakage, found] of cases) {
    await breakAndRepair(database, 'roles', breakage, {
      state: 'must-fix',
      found: expect.stringContaining(found),
    });
  }
  await breakAndRepair(
    database,
    'roles',
    `grant temporary on database ${database.name} to public`,
    {
      state: 'warning',
      found: `Everyone (public) must not have the temporary privilege on database ${database.name}.`,
    },
  );
});

test('roles: a reader or writer that is a member of a predefined role', async () => {
  // Roles belong to the whole cluster, which other tests share: this is undone before anybody sees it.
  await using database = await createTestDatabase();
  const client = await database.connect();
  await client.query('begin; grant pg_read_all_data to clientele_reader');
  const found = (await examineWith(client)).filter(
    ({ check, state }) => check === 'roles' && state !== 'ok',
  );
  await client.query('rollback');
  expect(found).toMatchObject([
    {
      state: 'must-fix',
      found: 'clientele_reader must not be a member of pg_read_all_data.',
      remedy: 'revoke pg_read_all_data from clientele_reader',
    },
  ]);
});

test('roles: the reader may see the statistics of other sessions, which metrics can use', async () => {
  await using database = await createTestDatabase();
  const client = await database.connect();
  await client.query('begin; grant pg_read_all_stats to clientele_reader');
  await client.query('revoke select on customers from clientele_reader');
  const found = (await examineWith(client)).filter(
    ({ check, state }) => check === 'roles' && state !== 'ok',
  );
  await client.query('rollback');
  expect(found).toMatchObject([
    { found: 'clientele_reader lacks the select privilege on public.customers.' },
  ]);
});

test('roles: a login that cannot serve', async () => {
  await using database = await createTestDatabase();
  await using nonMember = await createLoginRole(database);
  const [finding] = await problems(nonMember.url, 'roles');
  expect(finding).toMatchObject({
    state: 'warning',
    remedy: expect.stringContaining(`grant clientele_reader to ${nonMember.name}`),
  });
});

test('roles: a server connected as a superuser', async () => {
  await using database = await createTestDatabase();
  const server = new pg.Client({
    connectionString: database.url,
    application_name: 'clientele lists',
  });
  await server.connect();
  const found = await problems(database.url, 'roles');
  await server.end();
  expect(found).toMatchObject([{ state: 'warning', remedy: expect.stringContaining('login') }]);
});

test('vacuum and bloat: autovacuum off for a table, no statistics, dead rows, bloat', async () => {
  await using database = await createTestDatabase();
  await database.query('drop index customers_search');
  await breakAndRepair(database, 'vacuum', 'alter table customers set (autovacuum_enabled = off)', {
    state: 'must-fix',
    remedy: 'alter table customers reset (autovacuum_enabled)',
  });
  await database.query('alter table customers set (autovacuum_enabled = off)');
  const insert = `insert into customers (full_name, email_address, company_name)
    select 'Name ' || i, i || '@mail.example', repeat('Company', 20)
    from generate_series(1, 20000) as i`;
  await database.query(insert);
  await untilReported(database, 'n_live_tup >= 20000');
  const remedies = async (check: string) =>
    (await problems(database.url, check)).map(({ remedy }) => remedy);
  expect(await remedies('vacuum')).toContain('vacuum analyze customers');
  await database.query('analyze customers');
  expect(await remedies('bloat')).toEqual([]);
  for (let i = 0; i < 3; i += 1)
    await database.query('update customers set lifetime_value_cents = 1');
  await untilReported(database, 'n_dead_tup >= 20000');
  expect(await remedies('vacuum')).toContain('vacuum analyze customers');
  expect(await problems(database.url, 'bloat')).toMatchObject([
    { state: 'warning', found: expect.stringMatching(/^The table customers uses \d/) },
  ]);
  await database.query('vacuum full analyze customers');
  expect(await remedies('bloat')).toEqual([]);
});

/** Other sessions see statistics a moment after the transaction. */
async function untilReported(database: TestDatabase, condition: string): Promise<void> {
  await database.query('select pg_stat_force_next_flush()');
  const reported = `select from pg_stat_all_tables
    where relid = 'customers'::regclass and ${condition}`;
  while ((await database.query(reported)).length === 0);
}

test('transactions: open for a long time, prepared and never ended', async () => {
  await using database = await createTestDatabase();
  const idle = await database.connect();
  await idle.query('begin; select 1 from customers');
  const found = async () =>
    (await problems(database.url, 'transactions', { longTransaction: 0 })).map(
      ({ state, remedy }) => `${state}: ${remedy}`,
    );
  const { rows } = await idle.query<{ pid: number }>('select pg_backend_pid() as pid');
  expect(await found()).toContainEqual(
    `warning: Wait until it ends, or: select pg_terminate_backend(${rows[0]!.pid})`,
  );
  await idle.query('delete from customers');
  const gid = `it's ${database.name}`.replaceAll("'", "''");
  await idle.query(`prepare transaction '${gid}'`);
  expect(await found()).toContainEqual(
    `must-fix: Commit it or roll it back, in that database and as its owner: rollback prepared '${gid}'`,
  );
  await idle.query(`rollback prepared '${gid}'`);
});

test('transactions of other logins are unknown where this one cannot see how old they are', async () => {
  await using database = await createTestDatabase();
  await using serve = await createLoginRole(database, 'in role clientele_reader');
  const other = await database.connect();
  await other.query('begin');
  const found = await problems(serve.url, 'transactions', { longTransaction: 0 });
  expect(found).toMatchObject([
    {
      state: 'unknown',
      found: expect.stringContaining(new URL(database.url).username),
      remedy: expect.stringContaining('grant pg_monitor to'),
    },
  ]);
  await other.query('commit');

  const own = new pg.Client({ connectionString: serve.url });
  await own.connect();
  await own.query('begin');
  expect(await problems(serve.url, 'transactions', { longTransaction: 0 })).toContainEqual(
    expect.objectContaining({ state: 'warning' }),
  );
  await own.end();
});

test('connections: those of other logins count for a login that cannot see what they are', async () => {
  await using database = await createTestDatabase();
  await using serve = await createLoginRole(database, 'in role clientele_reader');
  await database.query(`alter database ${database.name} connection limit 40`);
  for (let n = 0; n < 5; n += 1) await database.connect();
  expect(await problems(serve.url, 'connections')).toMatchObject([{ state: 'warning' }]);
});

test('logs: every setting that writes personal data to the log', async () => {
  await using database = await createTestDatabase();
  const set = (setting: string) => `alter database ${database.name} set ${setting}`;
  const cases = [
    ['log_parameter_max_length = -1', 'must-fix', 'what people search for'],
    ['log_parameter_max_length_on_error = 100', 'must-fix', 'Failing statements'],
    ["log_error_verbosity = 'default'", 'warning', 'violates a constraint'],
    ['log_statement = mod', 'warning', 'typed by hand'],
  ] as const;
  for (const [setting, state, text] of cases) {
    await breakAndRepair(database, 'logs', set(setting), {
      state,
      found: expect.stringContaining(text),
    });
  }
  expect(await problems(database.url, 'logs')).toEqual([]);
});

test('logs: query plans with their values', async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  const options = '-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0';
  url.searchParams.set('options', options);
  expect(await problems(url.href, 'logs')).toMatchObject([
    { state: 'must-fix', remedy: expect.stringContaining('auto_explain.log_min_duration = -1') },
  ]);
});

test('clock: an hour behind', async () => {
  await using database = await createTestDatabase();
  const now = () => Date.now() + 3_600_000;
  expect(await problems(database.url, 'clock', { now })).toMatchObject([
    { state: 'warning', found: expect.stringMatching(/3600\.\d s behind/) },
  ]);
});

test('connections: too few for one instance, or for two', async () => {
  await using database = await createTestDatabase();
  const limit = (most: number) => `alter database ${database.name} connection limit ${most}`;
  const remedy = expect.stringContaining('CLIENTELE_CONNECTIONS');
  const repair = limit(-1);
  await breakAndRepair(
    database,
    'connections',
    limit(12),
    { state: 'must-fix', remedy },
    { repair },
  );
  await breakAndRepair(
    database,
    'connections',
    limit(20),
    { state: 'warning', remedy },
    { repair },
  );
});

test('connections: masked callers have their own', async () => {
  await using database = await createTestDatabase();
  await database.query(`alter database ${database.name} connection limit 40`);
  expect(await problems(database.url, 'connections')).toEqual([]);
  await prepareMasking(await database.connect());
  expect(await problems(database.url, 'connections')).toMatchObject([{ state: 'warning' }]);
});

test.each(['4', '12', '24'])(
  'connections: with CLIENTELE_CONNECTIONS=%s, as many are needed as an instance opens',
  async (CLIENTELE_CONNECTIONS) => {
    await using database = await createTestDatabase();
    const connections = readConnections({ CLIENTELE_CONNECTIONS });
    const instance = openDatabase({ url: database.url, connections, timeouts: patient }, true);
    const count = (lanes: Lane[]) => lanes.reduce((sum, lane) => sum + lane.connections.open, 0);
    try {
      const unmasked = [...instance.lanes, instance.upkeep];
      for (const lane of unmasked) await lane.warmUp();
      expect(connectionsNeeded(connections, false)).toBe(count(unmasked));
      const { lookups, lists, rows, searches, scans } = instance.masked;
      const all = [...unmasked, lookups, lists, rows, searches, scans];
      for (const lane of all) await lane.warmUp();
      expect(connectionsNeeded(connections, true)).toBe(count(all));
    } finally {
      await instance.close();
    }
  },
);

test('what this login may not read is reported as unknown', async () => {
  await using database = await createTestDatabase();
  await using reader = await createLoginRole(database, 'in role clientele_reader');
  expect(await problems(reader.url, 'disk')).toMatchObject([{ state: 'unknown' }]);
});

test('version: reports the version of PostgreSQL', async () => {
  await using database = await createTestDatabase();
  const finding = (await examineAll(database.url)).find(({ check }) => check === 'version');
  expect(finding).toMatchObject({
    state: 'ok',
    found: expect.stringContaining(`PostgreSQL ${inject('major')}`),
  });
});

test('wraparound: autovacuum is behind, then writes are about to stop; autovacuum is off', async () => {
  const postgres = (await installedPostgres())!;
  const cluster = await startPrivatePostgres({
    postgres,
    settings: {
      autovacuum: false,
      autovacuum_freeze_max_age: 100_000,
      autovacuum_multixact_freeze_max_age: 10_000,
    },
  });
  try {
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    await migrate(client, migrations);
    expect(await problems(cluster.url, 'vacuum')).toMatchObject([
      { state: 'must-fix', remedy: 'alter system set autovacuum = on; select pg_reload_conf()' },
    ]);
    expect(await problems(cluster.url, 'wraparound')).toEqual([]);
    // Each block with an exception handler uses a transaction id.
    await client.query(`
      create table used_ids (n int);
      do $$ begin
        for i in 1..130000 loop
          begin insert into used_ids values (i); exception when division_by_zero then null; end;
        end loop;
      end $$`);
    expect(await problems(cluster.url, 'wraparound')).toMatchObject([
      { state: 'warning', found: expect.stringContaining('autovacuum is behind') },
    ]);
    await client.query('alter database postgres set vacuum_failsafe_age = 120000');
    expect(await problems(cluster.url, 'wraparound')).toMatchObject([
      { state: 'must-fix', found: expect.stringContaining('writes will stop') },
    ]);
    await client.query('vacuum freeze');
    expect(await problems(cluster.url, 'wraparound')).toEqual([]);
    await client.end();
  } finally {
    await cluster.stop();
  }
});

test('replication: a paused, lagging or disconnected replica, an unused or lost slot', async () => {
  await using pair = await startReplicatedPostgres((await installedPostgres())!);
  const primary = new pg.Client({ connectionString: pair.primaryUrl });
  const replica = new pg.Client({ connectionString: pair.replicaUrl });
  for (const client of [primary, replica]) client.on('error', () => undefined);
  await Promise.all([primary.connect(), replica.connect()]);
  const connected = `select from pg_stat_replication where state = 'streaming'`;
  while ((await primary.query(connected)).rowCount === 0);
  expect(await problems(pair.primaryUrl, 'replication')).toEqual([]);
  expect(await problems(pair.replicaUrl, 'replication')).toEqual([]);

  {
    const query = async (text: string) => (await primary.query(text)).rows;
    const on = { url: pair.primaryUrl, query };
    await using serve = await createLoginRole(on, 'in role clientele_reader');
    expect(await problems(serve.url, 'replication')).toMatchObject([
      { state: 'unknown', remedy: expect.stringContaining('grant pg_monitor to') },
    ]);
    await primary.query(`grant pg_monitor to ${serve.name}`);
    expect(await problems(serve.url, 'replication')).toEqual([]);
  }

  await replica.query('select pg_wal_replay_pause()');
  expect(await problems(pair.replicaUrl, 'replication')).toMatchObject([
    { state: 'must-fix', remedy: 'select pg_wal_replay_resume()' },
  ]);
  await primary.query('create table written (n int)');
  // Each switches to a new WAL file, 16 MB further on.
  for (let n = 0; n < 5; n += 1) {
    await primary.query('insert into written values (1)');
    await primary.query('select pg_switch_wal()');
  }
  expect(await problems(pair.primaryUrl, 'replication')).toMatchObject([
    { state: 'warning', found: expect.stringMatching(/^The replica .* is \d.* MB.* behind/) },
  ]);
  await replica.query('select pg_wal_replay_resume()');
  await primary.query(`select pg_create_physical_replication_slot('unused', true)`);
  const caughtUp = 'select from pg_stat_replication where replay_lsn = pg_current_wal_lsn()';
  while ((await primary.query(caughtUp)).rowCount === 0);
  expect(await problems(pair.primaryUrl, 'replication')).toMatchObject([
    { state: 'warning', remedy: expect.stringContaining(`pg_drop_replication_slot('unused')`) },
  ]);

  await primary.query(`alter system set max_slot_wal_keep_size = '1MB'`);
  await primary.query('alter system set wal_keep_size = 0');
  await primary.query('select pg_reload_conf()');
  for (let n = 0; n < 2; n += 1) {
    await primary.query('insert into written values (1)');
    await primary.query('select pg_switch_wal()');
  }
  // The checkpointer picks up the setting some time later.
  const lost = `select from pg_replication_slots where wal_status = 'lost'`;
  while ((await primary.query(lost)).rowCount === 0) await primary.query('checkpoint');
  expect(await problems(pair.primaryUrl, 'replication')).toMatchObject([
    {
      state: 'must-fix',
      found: 'The replication slot unused no longer has the WAL that its replica needs.',
    },
  ]);
  await replica.query(`alter system set primary_conninfo = ''`);
  await replica.query('select pg_reload_conf()');
  while ((await replica.query('select from pg_stat_wal_receiver')).rowCount !== 0);
  expect(await problems(pair.replicaUrl, 'replication')).toMatchObject([
    { state: 'must-fix', found: 'This replica is not connected to a primary: its data is stale.' },
  ]);
  await Promise.all([primary.end(), replica.end()]);
});

const run = promisify(execFile);

/** A separate disk can only be mounted by root. */
const mountable = process.getuid?.() === 0 && (await mountDisk().then(unmountDisk, () => false));

async function mountDisk(): Promise<string> {
  const folder = await mkdtemp('/tmp/clientele-disk-');
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=0755', 'tmpfs', folder]);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

async function unmountDisk(folder: string): Promise<true> {
  await run('umount', [folder]);
  await rm(folder, { recursive: true });
  return true;
}

test.runIf(mountable)('disk: enough space, little, almost none', async () => {
  const folder = await mountDisk();
  const cluster = await startPrivatePostgres({
    postgres: (await installedPostgres())!,
    dataDir: join(folder, 'data'),
    settings: { max_wal_size: '32MB', fsync: false },
  });
  try {
    const state = async () => (await problems(cluster.url, 'disk')).map((finding) => finding.state);
    expect(await state()).toEqual([]);
    const leave = async (megabytes: number) => {
      const { bavail, bsize } = await statfs(folder);
      const ballast = bavail * bsize - megabytes * 1_000_000;
      await run('fallocate', ['-l', String(ballast), join(folder, `all but ${megabytes} MB`)]);
    };
    await leave(22);
    expect(await state()).toEqual(['warning']);
    await leave(7);
    expect(await state()).toEqual(['must-fix']);
  } finally {
    await cluster.stop();
    await unmountDisk(folder);
  }
});

test('triggers that keep erased people out, and customers that no server compares with them', async () => {
  await using database = await createTestDatabase();
  for (const name of ['check_inserts', 'check_replicated_inserts', 'check_updates']) {
    await breakAndRepair(database, 'suppression', `alter table customers disable trigger ${name}`, {
      state: 'must-fix',
      found: expect.stringContaining(name),
    });
  }
  await breakAndRepair(
    database,
    'suppression',
    `insert into clientele.unchecked_customers (uuid, queued_at)
     values (gen_random_uuid(), now() - interval '10 minutes')`,
    { state: 'warning', found: expect.stringContaining('erased people: 1.') },
    { repair: 'delete from clientele.unchecked_customers' },
  );
});

test('an order that is unfinished, or whose triggers were changed', async () => {
  await using database = await createTestDatabase();
  for (const breakage of [
    `select clientele.begin_order('total_orders')`,
    'alter table customers disable trigger log_moves',
    'alter table customers enable always trigger log_moves',
  ]) {
    await database.query(breakage);
    expect(await problems(database.url, 'sorting'), breakage).toMatchObject([
      { state: 'warning', remedy: 'clientele prepare sort total_orders' },
    ]);
    if (breakage.includes('disable')) continue;
    await addOrder(await database.connect(), 'total_orders');
    expect(await problems(database.url, 'sorting'), `${breakage}, after its remedy`).toEqual([]);
  }
});

test('unlogged tables and rules', async () => {
  await using database = await createTestDatabase();
  expect(await problems(database.url, 'tables')).toEqual([]);
  for (const [breakage, remedy] of [
    ['alter table customers set unlogged', 'alter table public.customers set logged'],
    [
      'create rule keep as on delete to customers do instead nothing',
      'drop rule keep on public.customers',
    ],
  ] as const) {
    await breakAndRepair(database, 'tables', breakage, { state: 'must-fix', remedy });
  }
});

test('settings of the database and of a login that cannot be made up for', async () => {
  await using database = await createTestDatabase();
  const { name } = database;
  const login = new URL(database.url).username;
  // Tests turn it off for the whole cluster.
  await database.query(`alter database ${name} set synchronous_commit = on`);
  const cases: [setting: string, state: 'must-fix' | 'warning'][] = [
    [`search_path = public, pg_catalog`, 'must-fix'],
    [`default_transaction_read_only = on`, 'warning'],
  ];
  for (const [setting, state] of cases) {
    for (const whose of [`database ${name}`, `role ${login} in database ${name}`]) {
      await breakAndRepair(database, 'settings', `alter ${whose} set ${setting}`, {
        state,
        remedy: `alter ${whose} reset ${setting.split(' ')[0]}`,
      });
    }
  }
  const own = `role ${login} in database ${name}`;
  await breakAndRepair(database, 'settings', `alter ${own} set synchronous_commit = off`, {
    state: 'warning',
    remedy: `alter ${own} reset synchronous_commit`,
  });
  for (const harmless of [`search_path = pg_catalog, public`, `search_path = app, public`]) {
    await database.query(`alter database ${name} set ${harmless}`);
    expect(await problems(database.url, 'settings')).toEqual([]);
  }
  await breakAndRepair(database, 'settings', 'alter table customers enable row level security', {
    state: 'must-fix',
    found: expect.stringContaining('public.customers'),
  });
});

test('a trigger that changes names after masking has read them', async () => {
  await using database = await createTestDatabase();
  await prepareMasking(await database.connect());
  await database.query(
    `create function tidy() returns trigger language plpgsql as
       $$ begin new.full_name := 'Tidied'; return new; end $$`,
  );
  await database.query(
    `create trigger zzz_tidy before insert or update on customers for each row execute function tidy()`,
  );
  await database.query(
    `insert into customers (uuid, full_name, email_address) values (gen_random_uuid(), 'Messy', 'm@example.com')`,
  );
  const found = await problems(database.url, 'masking');
  expect(found).toMatchObject([{ state: 'warning' }, { state: 'must-fix' }]);
  expect(found[1]!.remedy).toBe('clientele prepare masking');
  await database.query(found[0]!.remedy!);
  await prepareMasking(await database.connect());
  expect(await problems(database.url, 'masking')).toEqual([]);
});

test('places in an order that differ from the customers, also among the newest of many', async () => {
  await using database = await createTestDatabase();
  await database.query(
    `insert into customers (uuid, full_name, email_address, created_at)
     select gen_random_uuid(), 'Person', 'p@example.com', now() - i * interval '1 minute'
     from generate_series(1, 12000) as i`,
  );
  const client = await database.connect();
  await addOrder(client, 'total_orders');
  expect(await problems(database.url, 'sorting')).toEqual([]);
  await database.query(
    `delete from clientele.sorted_customers where uuid = (select uuid from customers order by created_at desc limit 1)`,
  );
  expect(await problems(database.url, 'sorting')).toMatchObject([
    { state: 'must-fix', remedy: 'clientele prepare sort total_orders' },
  ]);
  await addOrder(client, 'total_orders');
  expect(await problems(database.url, 'sorting')).toEqual([]);
});

test('customers whose text was computed by earlier search rules, and a database from before that', async () => {
  await using database = await createTestDatabase();
  await breakAndRepair(
    database,
    'search text',
    'insert into clientele.search_refresh (compared) values (1200)',
    {
      state: 'warning',
      found: expect.stringContaining('1,200 of about 1,200'),
      remedy: 'clientele prepare search-text',
    },
    { repair: 'delete from clientele.search_refresh' },
  );
  await database.query('drop table clientele.search_refresh');
  expect(await problems(database.url, 'search text')).toMatchObject([
    { state: 'unknown', remedy: 'clientele migrate' },
  ]);
});
