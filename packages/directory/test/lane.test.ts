/** A lane on a real server: waits are bounded, abandoned queries are cancelled, nothing leaks. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';
import type { LaneOptions } from '../src/db/lane-options.ts';
import { Lane } from '../src/db/lane.ts';
import { startEncrypted } from './setup/encrypted-postgres.ts';
import { openBalancer, openProxy } from '@clientele/sandbox/testing';
import { createTestDatabase, patient, type TestDatabase } from '@clientele/sandbox/testing';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // Session-level locks survive a failed transaction, so a session can count its attempts.
  await database.query(`
    create function fails_until(try int, code text) returns int language plpgsql as $$
    declare
      tries int := (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid());
    begin
      perform pg_advisory_lock(tries);
      if tries + 1 < try then
        raise exception using errcode = code;
      end if;
      return tries + 1;
    end
    $$`);
});
afterAll(() => database[Symbol.asyncDispose]());

const lanes: Lane[] = [];
function open(options: Partial<LaneOptions> = {}): Lane {
  const lane = new Lane({
    name: `test ${lanes.length}`,
    url: database.url,
    connections: 1,
    timeouts: patient,
    statementTimeout: 5_000,
    ...options,
  });
  lanes.push(lane);
  return lane;
}
afterEach(() => Promise.all(lanes.splice(0).map((lane) => lane.close())));

const unnamed = (text: string) => ({ name: '', text });
const sleep = (seconds: number) => unnamed(`select pg_sleep(${seconds})`);
const pidOf = async (lane: Lane): Promise<number> =>
  (await lane.query<{ pid: number }>(unnamed('select pg_backend_pid() as pid'), []))[0]!.pid;

/** The process ids of the lane's active sessions. */
async function active({ name }: Lane): Promise<number[]> {
  const rows = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = $1 and state = 'active'`,
    [`clientele ${name}`],
  );
  return rows.map(({ pid }) => pid);
}

const until = (assertion: () => Promise<void>) =>
  vi.waitFor(assertion, { timeout: 300_000, interval: 10 });
const untilActive = (lane: Lane, count: number) =>
  until(async () => expect(await active(lane)).toHaveLength(count));

async function terminate(lane: Lane): Promise<void> {
  await database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
    [`clientele ${lane.name}`],
  );
}

function expectNothingLeaked(lane: Lane): void {
  expect([lane.slots.taken, lane.slots.waiting]).toEqual([0, 0]);
  const { open: opened, idle } = lane.connections;
  expect(opened).toBeLessThanOrEqual(lane.slots.size);
  expect(idle, 'every open connection is idle').toBe(opened);
}

/** The error of a promise that must fail, and how long it took. */
async function failureOf(work: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const start = performance.now();
  const error = await work.then(
    () => expect.fail('it should have failed'),
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - start };
}

describe('a query that takes too long', () => {
  test('is ended by statement_timeout, and its connection stays in use', async () => {
    const lane = open({ statementTimeout: 400 });
    const pid = await pidOf(lane);
    const { error, ms } = await failureOf(lane.query(sleep(60), []));
    expect(error).toMatchObject({ name: 'QueryTimeoutError' });
    expect(ms).toBeGreaterThan(390);
    await untilActive(lane, 0);
    expect(await pidOf(lane)).toBe(pid);
    expectNothingLeaked(lane);
  });

  test('is cancelled by the timer if PostgreSQL does not end it, and its backend exits', async () => {
    const lane = open({ statementTimeout: 400 });
    await lane.query(unnamed(`select set_config('statement_timeout', '0', false)`), []);
    const pid = await pidOf(lane);
    const { error, ms } = await failureOf(lane.query(sleep(60), []));
    expect(error).toMatchObject({ name: 'QueryTimeoutError' });
    expect(ms).toBeGreaterThan(890);
    await until(async () =>
      expect(await database.query('select from pg_stat_activity where pid = $1', [pid])).toEqual(
        [],
      ),
    );
    expect(await pidOf(lane)).not.toBe(pid);
    expectNothingLeaked(lane);
  });

  test('is abandoned if even the cancel request does not arrive', async () => {
    await using proxy = await openProxy(database.url);
    const lane = open({ statementTimeout: 400, url: proxy.url });
    await pidOf(lane);
    proxy.cut();
    const { error, ms } = await failureOf(lane.query(sleep(60), []));
    expect(error).toMatchObject({ name: 'QueryTimeoutError' });
    expect(ms).toBeGreaterThan(1_390);
    expect(lane.connections.open).toBe(0);
    expectNothingLeaked(lane);
  });
});

describe('a query whose caller has left', () => {
  test('is cancelled in PostgreSQL at once, and its connection stays in use', async () => {
    const lane = open();
    const pid = await pidOf(lane);
    const controller = new AbortController();
    const query = failureOf(lane.query(sleep(60), [], controller.signal));
    await untilActive(lane, 1);
    controller.abort();
    expect((await query).error).toMatchObject({ name: 'QueryAbortedError' });
    await untilActive(lane, 0);
    expect(await pidOf(lane)).toBe(pid);
    expectNothingLeaked(lane);
  });

  test('does not start if the caller left before it could', async () => {
    const lane = open();
    for (const early of [true, false]) {
      const controller = new AbortController();
      if (early) controller.abort();
      const query = failureOf(lane.query(sleep(60), [], controller.signal));
      controller.abort(); // The second query is just getting a connection.
      const { error, ms } = await query;
      expect(error).toMatchObject({ name: 'QueryAbortedError' });
      expect(ms).toBeLessThan(promised(3_000));
    }
    expect(await active(lane)).toEqual([]);
    expectNothingLeaked(lane);
  });

  test('leaves the queue', async () => {
    const lane = open();
    const holder = lane.query(sleep(0.5), []);
    const controller = new AbortController();
    const query = failureOf(lane.query(sleep(0), [], controller.signal));
    expect(lane.slots.waiting).toBe(1);
    controller.abort();
    expect((await query).error).toMatchObject({ name: 'QueryAbortedError' });
    expect(lane.slots.waiting).toBe(0);
    await holder;
    expectNothingLeaked(lane);
  });
});

describe('a cancel request', () => {
  const cancelRequest = '\x00\x00\x00\x10\x04\xd2\x16\x2e';
  const sslRequest = '\x00\x00\x00\x08\x04\xd2\x16\x2f';

  test('that is lost leaves neither a slot taken nor a query running', async () => {
    const nowhere = createServer().listen(0, '127.0.0.1');
    await once(nowhere, 'listening');
    const lost = `postgres://127.0.0.1:${(nowhere.address() as AddressInfo).port}`;
    await using balancer = await openBalancer(database.url, (_n, startup) =>
      startup.startsWith(cancelRequest) ? lost : database.url,
    );
    const lane = open({ url: balancer.url, statementTimeout: patient.scan });
    const controller = new AbortController();
    const query = failureOf(lane.query(sleep(600), [], controller.signal));
    await untilActive(lane, 1);
    controller.abort();
    expect((await query).error).toMatchObject({ name: 'QueryAbortedError' });
    expectNothingLeaked(lane);
    await untilActive(lane, 0);
    nowhere.close();
  });

  test('that arrives late does not cancel another query', async () => {
    const nowhere = createServer().listen(0, '127.0.0.1');
    await once(nowhere, 'listening');
    const slow = `postgres://127.0.0.1:${(nowhere.address() as AddressInfo).port}`;
    const requests: string[] = [];
    await using balancer = await openBalancer(database.url, (_n, startup) => {
      if (!startup.startsWith(cancelRequest)) return database.url;
      requests.push(startup);
      return slow;
    });
    const lane = open({ url: balancer.url, statementTimeout: patient.scan });
    const holder = await database.connect();
    onTestFinished(() => holder.end());
    const whenReleased = unnamed('select pg_advisory_lock(99), pg_advisory_unlock(99)');
    const hold = () => holder.query('select pg_advisory_lock(99)');
    const release = () => holder.query('select pg_advisory_unlock(99)');

    // On a machine that stands still, the request is not even sent.
    while (requests.length === 0) {
      const leave = new AbortController();
      await hold();
      const query = lane.query(whenReleased, [], leave.signal).catch(() => undefined);
      await untilActive(lane, 1);
      leave.abort();
      await release();
      await query;
    }
    await hold();
    const next = lane.query(whenReleased, []).catch((error: unknown) => error);
    await untilActive(lane, 1);
    const { port, hostname } = new URL(database.url);
    const late = connect(Number(port), hostname)
      .on('error', () => undefined)
      .resume();
    late.end(Buffer.from(requests[0]!, 'latin1'));
    await once(late, 'close');
    await release();
    expect(await next).toHaveLength(1);
    expectNothingLeaked(lane);
    nowhere.close();
  });

  test('is encrypted if the connection is', async () => {
    await using server = await startEncrypted();
    const firsts: string[] = [];
    await using balancer = await openBalancer(server.url, (_n, first) => {
      firsts.push(first);
      return server.url;
    });
    const url = new URL(balancer.url);
    // Any certificate: the test creates one that nobody has signed.
    url.searchParams.set('sslmode', 'no-verify');
    const lane = open({ url: url.href, settings: { role: 'none' } });
    const [session] = await lane.query(
      unnamed(
        'select s.ssl, pg_backend_pid() as pid from pg_stat_ssl as s where s.pid = pg_backend_pid()',
      ),
      [],
    );
    expect(session).toMatchObject({ ssl: true });
    const controller = new AbortController();
    const query = failureOf(lane.query(sleep(60), [], controller.signal));
    setTimeout(() => controller.abort(), 200);
    const { error, ms } = await query;
    expect(error).toMatchObject({ name: 'QueryAbortedError' });
    expect(error, 'cancelled, not disconnected').toMatchObject({ cause: { code: '57014' } });
    expect(ms).toBeLessThan(30_000);
    expect(firsts).toEqual([sslRequest, sslRequest]);
  });
});

describe('a lost connection', () => {
  test('does not matter while idle, even if all connections are lost', async () => {
    const lane = open({ connections: 3 });
    await Promise.all([1, 2, 3].map(() => lane.query(sleep(0.1), [])));
    expect(lane.connections.open).toBe(3);
    await terminate(lane);
    expect(await lane.query(sleep(0), [])).toHaveLength(1);
    expectNothingLeaked(lane);
  });

  test('makes its query run again, once', async () => {
    const lane = open();
    const query = lane.query<{ pid: number }>(
      unnamed('select pg_backend_pid() as pid, pg_sleep(0.5)'),
      [],
    );
    await untilActive(lane, 1);
    const [killed] = await active(lane);
    await terminate(lane);
    expect((await query)[0]!.pid).not.toBe(killed);
    expectNothingLeaked(lane);
  });

  test('is an error if the second attempt loses its connection, too', async () => {
    const lane = open();
    const query = failureOf(lane.query(sleep(30), []));
    const pids = new Set<number>();
    for (let kill = 1; kill <= 2; kill += 1) {
      await until(async () => {
        const [pid] = await active(lane);
        expect(pids.has(pid!)).toBe(false);
        expect(pid).toBeDefined();
        pids.add(pid!);
      });
      await terminate(lane);
    }
    expect((await query).error).toMatchObject({ name: 'DatabaseUnavailableError' });
    expectNothingLeaked(lane);
  });

  test('is an error at once if the port is closed', async () => {
    await using proxy = await openProxy(database.url);
    const { url } = proxy;
    await proxy[Symbol.asyncDispose]();
    const lane = open({ url });
    const { error, ms } = await failureOf(lane.query(sleep(0), []));
    expect(error).toMatchObject({ name: 'DatabaseUnavailableError' });
    expect(ms).toBeLessThan(promised(1_000));
    expectNothingLeaked(lane);
  });

  test('is an error within seconds if it falls silent once it is open, and does not delay closing', async () => {
    await using proxy = await openProxy(database.url, 'client_connection_check_interval');
    const timeouts = { ...patient, connect: 1_000 };
    const lane = open({ url: proxy.url, timeouts, statementTimeout: timeouts.scan });
    try {
      const { error, ms } = await failureOf(lane.query(unnamed('select 1'), []));
      expect(error).toMatchObject({ name: 'DatabaseUnavailableError' });
      expect(ms).toBeLessThan(promised(3_000));
      const query = failureOf(lane.query(unnamed('select 1'), []));
      const start = performance.now();
      await lane.close();
      expect(performance.now() - start).toBeLessThan(promised(3_000));
      await query;
    } finally {
      lanes.pop();
    }
  });
});

describe('a transient conflict, as with recovery on a standby,', () => {
  test.each(['40001', '40P01'])('is retried once: %s', async (code) => {
    const lane = open();
    const rows = await lane.query(unnamed(`select public.fails_until(2, '${code}') as tries`), []);
    expect(rows).toEqual([{ tries: 2 }]);
    expectNothingLeaked(lane);
  });

  test.each(['40001', '40P01'])('is not retried twice: %s', async (code) => {
    const lane = open();
    const { error } = await failureOf(
      lane.query(unnamed(`select public.fails_until(9, '${code}')`), []),
    );
    expect(error).toMatchObject({ name: 'DatabaseUnavailableError', cause: { code } });
    expect(await lane.query(unnamed(`select public.fails_until(0, '') as tries`), [])).toEqual([
      { tries: 3 },
    ]);
    expectNothingLeaked(lane);
  });

  test('is different from other errors, which are not retried and are passed on unchanged', async () => {
    const lane = open();
    const { error } = await failureOf(
      lane.query(unnamed(`select public.fails_until(9, '22012')`), []),
    );
    expect(error).toMatchObject({ code: '22012' });
    expect(await lane.query(unnamed(`select public.fails_until(0, '') as tries`), [])).toEqual([
      { tries: 2 },
    ]);
    expectNothingLeaked(lane);
  });
});

test('a full lane rejects within 350 ms, and works again once a connection is free', async () => {
  const lane = open({ connections: 2, slotWait: 300 });
  await lane.warmUp();
  const holders = [lane.query(sleep(1.2), []), lane.query(sleep(1.2), [])];
  await untilActive(lane, 2);
  // On a busy machine every timer is late; the lane must not add to that.
  const lateness = new Promise<number>((resolve) => {
    const start = performance.now();
    setTimeout(() => resolve(performance.now() - start - 300), 300);
  });
  const rejected = await Promise.all(
    Array.from({ length: 50 }, () => failureOf(lane.query(sleep(0), []))),
  );
  for (const { error, ms } of rejected) {
    expect(error).toMatchObject({ name: 'NoSlotError' });
    expect(ms).toBeGreaterThan(290);
    expect(ms - (await lateness)).toBeLessThan(promised(350));
  }
  expect(lane.slots.waiting).toBe(0);
  await Promise.all(holders);
  expect(await lane.query(sleep(0), [])).toHaveLength(1);
  expectNothingLeaked(lane);
});

test('no slot or connection leaks, however concurrent queries end', async () => {
  const lane = open({ connections: 3, statementTimeout: 400 });
  const kinds = [
    () => lane.query(sleep(0.01), []),
    () => lane.query(sleep(60), []),
    () => lane.query(unnamed('select 1 / 0'), []),
    () => lane.query(unnamed('not even SQL'), []),
    () => lane.query(sleep(60), [], AbortSignal.timeout(20)),
    () => lane.query(sleep(60), [], AbortSignal.abort()),
    () => lane.query(sleep(0.2), []),
  ];
  const running = Promise.allSettled(
    Array.from({ length: 140 }, (_, i) => kinds[(i * 5) % kinds.length]!()),
  );
  for (let kill = 1; kill <= 5; kill += 1) {
    await terminate(lane);
    await database.query('select pg_sleep(0.05)');
  }
  const statuses = new Set((await running).map(({ status }) => status));
  expect(statuses).toEqual(new Set(['fulfilled', 'rejected']));
  expectNothingLeaked(lane);
  await untilActive(lane, 0);
  expect(await Promise.all([1, 2, 3].map(() => lane.query(sleep(0), [])))).toHaveLength(3);
});

test('counts are numbers, and options in the URL are kept unless the lane sets them', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c statement_timeout=1 -c work_mem=1234kB -c role=none');
  const lane = open({ url: url.href, settings: { plan_cache_mode: 'force_custom_plan' } });
  expect(
    await lane.query(
      unnamed(`select count(*) as total, current_user as role,
        current_setting('statement_timeout') as statement_timeout,
        current_setting('work_mem') as work_mem,
        current_setting('plan_cache_mode') as plan_cache_mode from generate_series(1, 7)`),
      [],
    ),
  ).toEqual([
    {
      total: 7,
      role: 'clientele_reader',
      statement_timeout: '5s',
      work_mem: '1234kB',
      plan_cache_mode: 'force_custom_plan',
    },
  ]);
});

test('a connection keeps a hundred prepared statements, those used last', async () => {
  const lane = open({ connections: 1 });
  const run = (n: number) => lane.query({ name: `number-${n}`, text: `select ${n} as n` }, []);
  for (let n = 0; n < 150; n += 1) {
    expect(await run(0)).toEqual([{ n: 0 }]);
    expect(await run(n)).toEqual([{ n }]);
  }
  expect(await run(1), 'prepared again').toEqual([{ n: 1 }]);
  const prepared = unnamed(`select count(*) as statements,
      count(*) filter (where p.name ~ ' number-(0|149|1)$') as used_last
    from pg_prepared_statements as p where p.name ~ ' number-'`);
  expect(await lane.query(prepared, [])).toEqual([{ statements: 100, used_last: 3 }]);
});
