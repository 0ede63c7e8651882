/** Settings of the operator: docs/decisions/operators-settings.md. */
import type { WireCustomerList } from '@clientele/contract';
import {
  createTestDatabase,
  patient,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addOrder,
  connectToPrimary,
  differingCustomers,
  Lane,
  openDatabase,
  orders,
  prepareMasking,
  readerRole,
  sessionSettings,
  takeSession,
  withSettings,
} from '@clientele/directory';

/** Values that the operator may have set, for everything that every session of ours sets itself. */
const overridden: Record<string, string[]> = {
  default_transaction_isolation: ['repeatable read', 'serializable'],
  default_transaction_deferrable: ['on'],
  gin_fuzzy_search_limit: ['1'],
  row_security: ['on'],
  lock_timeout: ['20ms'],
  idle_session_timeout: ['10min'],
  datestyle: ['SQL, DMY', 'German'],
  intervalstyle: ['iso_8601'],
  timezone: ['Pacific/Kiritimati'],
  extra_float_digits: ['-15'],
  bytea_output: ['escape'],
  standard_conforming_strings: ['off'],
  array_nulls: ['off'],
  transform_null_equals: ['on'],
};

/** The server sets it for its own sessions; commands that write cannot work with it. */
const readOnly = 'default_transaction_read_only';

/** Settings that neither change a result nor a lock of ours. */
const harmless: Record<string, string[]> = {
  search_path: ['', 'elsewhere'],
  session_replication_role: ['replica'],
  synchronous_commit: ['off'],
  client_min_messages: ['error'],
  check_function_bodies: ['off'],
  quote_all_identifiers: ['on'],
  escape_string_warning: ['off'],
  xmloption: ['document'],
  xmlbinary: ['hex'],
  backslash_quote: ['off'],
  synchronize_seqscans: ['off'],
  exit_on_error: ['on'],
  client_encoding: ['LATIN1'],
  lc_monetary: ['C'],
  lc_numeric: ['C'],
  lc_time: ['C'],
  default_text_search_config: ['pg_catalog.german'],
  constraint_exclusion: ['on'],
  default_statistics_target: ['1'],
  stats_fetch_consistency: ['snapshot'],
  track_activities: ['off'],
  idle_in_transaction_session_timeout: ['30s'],
  statement_timeout: ['30s'],
  plan_cache_mode: ['force_generic_plan', 'force_custom_plan'],
  work_mem: ['64kB'],
  jit_above_cost: ['0'],
  'plpgsql.extra_errors': ['all'],
  'plpgsql.variable_conflict': ['use_column', 'use_variable'],
  'plpgsql.check_asserts': ['off'],
  enable_seqscan: ['off'],
  enable_indexscan: ['off'],
  enable_bitmapscan: ['off'],
  enable_nestloop: ['off'],
  enable_sort: ['off'],
  enable_hashagg: ['off'],
  max_parallel_workers_per_gather: ['8'],
};

/** Plans, logs, statistics, connections and files: whatever they are set to, statements have the same results. */
const withoutInfluence = new RegExp(
  '^(Query Tuning|Reporting and Logging|Statistics|Resource Usage|Developer Options|Autovacuum|Vacuuming' +
    '|Connections and Authentication|Write-Ahead Log|Replication|File Locations|Lock Management' +
    '|Client Connection Defaults / Shared Library Preloading)',
);

/** Others, which are not tested. */
const untested = [
  // Of one transaction.
  ...['transaction_isolation', 'transaction_deferrable', 'transaction_read_only'],
  // Where new tables are and how they are stored, and what is new otherwise.
  ...['default_tablespace', 'temp_tablespaces', 'default_table_access_method'],
  ...['default_toast_compression', 'gin_pending_list_limit', 'dynamic_library_path'],
  ...['icu_validation_level', 'extension_control_path', 'createrole_self_grant', 'event_triggers'],
  // Words of messages, names of time zones, which nothing of ours reads, and large objects.
  ...['lc_messages', 'timezone_abbreviations', 'lo_compat_privileges'],
  // Errors instead of results: commands that read a view, and everything that takes too long.
  ...['restrict_nonsystem_relation_kind', 'transaction_timeout'],
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const client = await service.database.connect();
  await client.query(write(1, 300));
  await prepareMasking(client);
  for (const order of orders) await addOrder(client, order);
});
afterAll(() => service[Symbol.asyncDispose]());

/** New customers, or new values for those who are there. */
const write = (from: number, to: number) => `
  insert into public.customers (uuid, full_name, email_address, phone_number, total_orders, lifetime_value_cents,
    last_order_at, created_at)
  select ('00000000-0000-4000-8000-' || pg_catalog.lpad(i::text, 12, '0'))::uuid,
    (array['Zoë O''Brien', 'Jürgen Müller', 'Li Wei', 'Back\\slash', 'Æsa Þórsdóttir', 'J.Smith B.V.', '黒森 太一'])[1 + i % 7] || ' ' || i,
    i || '@example.com', '+1 202 555 01' || 10 + i % 90, i % 7, i * 1001, timestamptz '2026-01-01 00:00:00+00' - i * interval '1 hour',
    timestamptz '2025-06-01 00:00:00+00' - i * interval '7 hours 0.123456 seconds'
  from pg_catalog.generate_series(${from}, ${to}) as i
  on conflict (uuid) do update
  set total_orders = customers.total_orders + 1, full_name = 'Jürgen ' || pg_catalog.right(customers.full_name, 9)`;

async function list(of: TestService, query: string): Promise<string> {
  const response = await of.get(`/v3/customers?perPage=100&${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.body;
}

const total = (body: string) => (JSON.parse(body) as WireCustomerList).pagination.total;

test('every session of the server and of commands has its own value of each setting', async () => {
  expect(Object.keys(overridden)).toEqual(Object.keys(sessionSettings));
  await using database = await createTestDatabase();
  for (const [name, values] of Object.entries(overridden)) {
    await database.query(`alter database ${database.name} set ${name} = '${values[0]}'`);
  }
  const connections = { lookups: 1, lists: 1, searches: 1, scans: 1 };
  const opened = openDatabase({ url: database.url, connections, timeouts: patient });
  const command = await connectToPrimary(database.url, {});
  try {
    for (const [name, ours] of Object.entries(sessionSettings)) {
      const statement = { name: '', text: `select current_setting('${name}') as value` };
      for (const lane of opened.lanes) {
        // Has its own.
        if (name === 'lock_timeout' && lane.name === 'scans') continue;
        const [row] = await lane.query<{ value: string }>(statement, []);
        expect(row!.value, `${lane.name} ${name}`).toBe(ours);
      }
      const { rows } = await command.query<{ value: string }>(statement.text);
      expect(rows[0]!.value, name).toBe(ours);
    }
  } finally {
    await command.end();
    await opened.close();
  }
});

test('a session that a single setting has not reached is given it', async () => {
  const { database } = service;
  const settings = {
    role: readerRole,
    default_transaction_read_only: 'on',
    statement_timeout: '5000',
  };
  const limits = new Set(['lock_timeout', 'idle_session_timeout']);
  const whole = new pg.Client({ connectionString: withSettings(database.url, settings) });
  await whole.connect();
  expect(await takeSession(whole, settings)).toEqual({ pooled: false });
  await whole.end();
  const others = { ...overridden, search_path: ['public'], role: ['none'], [readOnly]: ['off'] };
  for (const [name, values] of Object.entries(others)) {
    if (limits.has(name)) continue;
    const client = new pg.Client({ connectionString: withSettings(database.url, settings) });
    await client.connect();
    try {
      const value = async () =>
        (await client.query<{ value: string }>('select current_setting($1) as value', [name])).rows;
      const ours = await value();
      await client.query('select set_config($1, $2, false)', [name, values[0]]);
      expect(await value(), name).not.toEqual(ours);
      expect(await takeSession(client, settings), name).toEqual({ pooled: true });
      expect(await value(), name).toEqual(ours);
    } finally {
      await client.end();
    }
  }
});

test('no setting that an operator can set for a database or a login is forgotten', async () => {
  const rows = await service.database.query<{ name: string; category: string }>(
    `select lower(name) as name, category from pg_settings where context in ('user', 'superuser') order by category, name`,
  );
  const tested = [...Object.keys(overridden), ...Object.keys(harmless), readOnly];
  const known = new Set([...tested, ...untested]);
  const forgotten = rows.filter(
    ({ name, category }) =>
      !withoutInfluence.test(category) && !name.startsWith('vacuum_') && !known.has(name),
  );
  expect(forgotten.map(({ name, category }) => `${category}: ${name}`)).toEqual([]);
});

const given = (settings: Record<string, string[]>) =>
  Object.entries(settings).flatMap(([name, values]) => values.map((value) => ({ name, value })));

/** Lists have the totals, and customers the texts, that PostgreSQL computes from the rows. */
async function expectRight(queries: string[]): Promise<void> {
  const lists = await Promise.all(queries.map((query) => list(service, query)));
  const [row] = await service.database.query<{ all: number; jurgen: number; stale: number }>(
    `select count(*)::int as all, count(*) filter (where full_name ilike '%jürgen%')::int as jurgen,
       count(*) filter (where (search_text, name_text) is distinct from (
         clientele.search_text(full_name, email_address, company_name, phone_number),
         clientele.search_text(full_name, null, company_name, null)))::int as stale
     from customers`,
  );
  expect(row!.stale).toBe(0);
  expect(total(lists[0]!)).toBe(row!.all);
  expect(total(lists[1]!)).toBe(row!.jurgen);
}

describe('a writer whose session has', () => {
  test.each(given({ ...overridden, ...harmless }))(
    '$name = $value: lists are right, and so is what customers are found by',
    async ({ name, value }) => {
      const { database } = service;
      // A count from before the write, to which the log is applied.
      const queries = [
        '',
        'search=jurgen',
        'sort=-total_orders',
        'search=O+Brien&sort=total_orders',
      ];
      for (const query of queries) await list(service, query);
      const writer = new pg.Client({ connectionString: database.url });
      await writer.connect();
      try {
        await writer.query(`select set_config($1, $2, false)`, [name, value]);
        await writer.query(write(101, 103));
        await writer.query(write(400, 405));
        await expectRight(queries);
        await writer.query(
          `delete from public.customers where uuid >= '00000000-0000-4000-8000-000000000400'`,
        );
        await expectRight(queries);
        expect(await differingCustomers(await database.connect())).toEqual([]);
      } finally {
        await writer.end();
      }
    },
  );
});

/** What another service on the same database answers, which has counted nothing yet. */
async function answers(): Promise<string[]> {
  await using other = await startTestService({ DATABASE_URL: service.database.url });
  const get: TestService['get'] = (path) =>
    other.get(path, { authorization: `Bearer ${service.key}` });
  const found: string[] = [];
  for (const query of [
    '',
    'search=jurgen',
    'search=555',
    'search=back%5Cslash',
    'sort=-lifetime_value_cents',
    'sort=last_order_at&search=zoe',
    'joinedFrom=2025-04-01T00:00:00Z&joinedTo=2025-05-01T00:00:00Z',
    'hasOrders=true&search=wei',
  ]) {
    found.push(await list({ ...other, get }, query));
  }
  return found;
}

describe('a server on a database with', () => {
  let expected: string[];
  beforeAll(async () => {
    expected = await answers();
  });

  const set = ({ name, value }: { name: string; value: string }) =>
    `set ${name} = ${value === '' ? `''` : `'${value}'`}`;
  const each = given({ ...overridden, [readOnly]: ['on'] }).map((one) => [one]);
  const all = [given(harmless)];
  test.each(
    [...each, ...all].map((settings) => ({ settings, name: settings.map(set).join(', ') })),
  )('$name answers as without it', async ({ settings }) => {
    const { database } = service;
    try {
      for (const one of settings) {
        await database.query(`alter database ${database.name} ${set(one)}`);
      }
      expect(await answers()).toEqual(expected);
    } finally {
      for (const { name } of settings) {
        await database.query(`alter database ${database.name} reset ${name}`);
      }
    }
  });
});

test('a statement that waits for a rewrite of the table sees what the rewrite has left', async () => {
  const { database } = service;
  const before = total(await list(service, ''));
  await database.query(
    `alter database ${database.name} set default_transaction_isolation = 'repeatable read'`,
  );
  const lane = new Lane({
    timeouts: patient,
    name: 'test',
    url: database.url,
    connections: 1,
    statementTimeout: 60_000,
  });
  const rewriter = await database.connect();
  try {
    await lane.query({ name: 'open', text: 'select' }, []);
    await rewriter.query('begin isolation level read committed');
    await rewriter.query('alter table customers add column note uuid default gen_random_uuid()');
    const counting = lane.query<{ n: number }>(
      { name: 'count', text: 'select count(*)::int as n from only public.customers' },
      [],
    );
    const waiting = async () =>
      (
        await database.query(
          `select from pg_locks where not granted and relation = 'public.customers'::regclass`,
        )
      ).length;
    while ((await waiting()) === 0);
    await rewriter.query('commit');
    expect(await counting).toEqual([{ n: before }]);
  } finally {
    await rewriter.query('alter table customers drop column note');
    await database.query(`alter database ${database.name} reset default_transaction_isolation`);
    await lane.close();
  }
});

test('erasures are completed, old text is cleared, and the log is trimmed for writers at another isolation level', async () => {
  await using database = await createTestDatabase();
  await database.query(
    `alter database ${database.name} set default_transaction_isolation = 'repeatable read'`,
  );
  const writer = await database.connect();
  await writer.query(write(1, 10));
  const uuid = '00000000-0000-4000-8000-000000000001';
  await writer.query('select clientele.erase_customer($1)', [uuid]);
  const connections = { lookups: 1, lists: 1, searches: 1, scans: 1 };
  const opened = openDatabase({ url: database.url, connections, timeouts: patient });
  try {
    const upkeep = (text: string) =>
      opened.upkeep.query<{ more?: boolean }>({ name: text, text }, []);
    await upkeep('select clientele.analyze_erased()');
    await upkeep(`select clientele.clear_erasures('0')`);
    expect(
      await database.query(`select from clientele.erasures where cleared_at is null`),
    ).toHaveLength(0);
    // As if as many customers had been written.
    for (let i = 0; i < 8; i += 1) {
      await writer.query(
        `insert into clientele.changes (new_place, new_text) select 1, '' from generate_series(1, 80000)`,
      );
    }
    for (let more = true; more;) {
      more = (await upkeep('select clientele.clear_old_text() as more'))[0]!.more!;
    }
    const [left] = await database.query<{ n: number }>(
      'select count(*)::int as n from clientele.changes',
    );
    expect(left!.n).toBeLessThanOrEqual(580_000);
    expect(left!.n).toBeGreaterThanOrEqual(420_000);
  } finally {
    await opened.close();
  }
});
