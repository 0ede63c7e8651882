/** Months of the audit that are past their time are dropped, however large they are, and no answer waits for it. */
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const uuid = '00000000-0000-4000-8000-000000000001';
/** Chains of different lengths: 112,000 batches. The first two go on in the next month. */
const chains = 7;
const shortest = 4_000;
const batches = [
  `generate_series(1, ${chains}) as chain, generate_series(1, ${shortest} * chain) as number`,
  `generate_series(1, 2) as chain, generate_series(${shortest} * chain + 1, ${shortest} * chain + 9) as number`,
];
const blocking = 4_711;

let service: TestService;
let months: { name: string; table: string }[];
/** What has to be kept of them. */
let closings: object[];

const dropMonth = async () =>
  (
    await service.database.query<{ month: string | null }>(
      `select to_char(clientele.keep_audit(), 'YYYY-MM') as month`,
    )
  )[0]!.month;

const keptClosings = () =>
  service.database.query(
    `select to_char(c.month, 'YYYY-MM') as month, c.chain, c.number, c.hash
     from clientele.audit_closings as c order by c.month, c.chain`,
  );

beforeAll(async () => {
  service = await startTestService(
    { CLIENTELE_AUDIT: 'on', CLIENTELE_AUDIT_SPOOL: 'none' },
    // Whatever holds the audit's lane is not cancelled before an answer has given up waiting for it.
    { timeouts: { ...patient, audit: 15_000 } },
  );
  const { database } = service;
  await database.insert([{ uuid, full_name: 'A', email_address: 'a@directory.example' }]);
  months = await database.query(
    `select to_char(m, 'YYYY-MM') as name, 'clientele.audit_' || to_char(m, 'YYYY_MM') as table
     from generate_series(30, 29, -1) as ago,
       lateral (select date_trunc('month', now() at time zone 'UTC') - make_interval(months => ago) as m) as month`,
  );
  closings = [];
  for (const [i, { name, table }] of months.entries()) {
    await database.query(`select clientele.add_audit_month('${name}-01')`);
    await database.query(
      `insert into clientele.audit_batches (chain, number, stored_at, entries, customers, hash)
       select md5(chain::text)::uuid, number, '${name}-02Z', '[]', '', sha256(int4send(chain) || int4send(number))
       from ${batches[i]!}`,
    );
    closings.push(
      ...(await database.query(
        `select distinct on (b.chain) '${name}' as month, b.chain, b.number, b.hash from ${table} as b
         order by b.chain, b.number desc`,
      )),
    );
  }
});
afterAll(() => service[Symbol.asyncDispose]());

test('the last batch of each chain in a month is found without reading the month', async () => {
  const { database } = service;
  const rowsRead = async () => {
    await database.query('select pg_stat_force_next_flush()');
    const [row] = await database.query<{ rows: number }>(
      `select (s.seq_tup_read + sum(i.idx_tup_read))::int as rows
       from pg_stat_all_tables as s join pg_stat_all_indexes as i using (relid)
       where s.relid = '${months[0]!.table}'::regclass group by s.seq_tup_read`,
    );
    return row!.rows;
  };
  // While somebody reads the audit the month stays, and so do the counts of what was read of it.
  const reader = await database.connect();
  await reader.query('begin; lock table clientele.audit_batches in access share mode');
  const before = await rowsRead();
  await expect(dropMonth()).rejects.toMatchObject({ code: '55P03' });
  await reader.query('rollback');
  expect(await keptClosings()).toEqual([]);
  expect((await rowsRead()) - before).toBeLessThanOrEqual(2 * chains);
});

test('one month is dropped at a time, by a lane that no answer waits for', async () => {
  const { database, app } = service;
  // As if the disk were slow.
  await database.query(`
    create function public.wait() returns trigger language plpgsql as
    $$ begin perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock(${blocking}); return null; end $$;
    create trigger wait before insert on clientele.audit_closings execute function public.wait()`);
  const blocker = await database.connect();
  await blocker.query(`select pg_advisory_lock(${blocking})`);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const isDropping = async () => {
    const waiting = await database.query(
      `select from pg_locks where locktype = 'advisory' and objid = ${blocking} and not granted`,
    );
    expect(waiting).toHaveLength(1);
  };
  await vi.waitFor(isDropping, { timeout: 60_000 });
  const response = await service.get(`/v3/customers/${uuid}`);
  await isDropping();
  expect(response.statusCode, response.body).toBe(200);
  expect(
    await database.query('select request_id as id from clientele.audit_entries where action = $1', [
      'lookup',
    ]),
  ).toEqual([{ id: response.headers['x-request-id'] }]);

  await blocker.query(`select pg_advisory_unlock(${blocking})`);
  const dropped = () => [...service.logged().matchAll(/^.*dropped the audit entries.*$/gm)];
  await vi.waitFor(() => expect(dropped()).toHaveLength(2), { timeout: 60_000 });
  expect(dropped().map(([line]) => (JSON.parse(line) as { month: string }).month)).toEqual(
    months.map(({ name }) => name),
  );
  expect(closings).toHaveLength(chains + 2);
  expect(await keptClosings()).toEqual(closings);
  const transactions = await database.query(
    'select distinct dropped_at from clientele.audit_closings',
  );
  expect(transactions).toHaveLength(2);
  for (const { table } of months) {
    expect(await database.query(`select to_regclass('${table}') as table`)).toEqual([
      { table: null },
    ]);
  }
  expect(await dropMonth()).toBeNull();
});
