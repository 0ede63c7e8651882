/** On SIGTERM, the server answers the requests it has received and exits. */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { promised } from '@clientele/sandbox/testing/machine';
import { customers, reads } from './setup/customers.ts';
import { makeKey, startService, type Service } from './setup/executable.ts';
import { heldSearch, holdSearches, type Hold } from './setup/held-search.ts';
import { httpGet, startLoad, failures, type Load } from './setup/load.ts';

let database: TestDatabase;
let key: string;
let hold: Hold;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert(customers);
  key = await makeKey(database.url);
  hold = await holdSearches(database);
});
afterAll(() => database[Symbol.asyncDispose]());

/** Nothing is counted but what is asked for. */
const quiet = { CLIENTELE_WARM_UP: 'off' };

const serve = (port = 0): Promise<Service> =>
  startService({ DATABASE_URL: database.url, PORT: String(port) });

async function waitForResponses(load: Load, count: number): Promise<void> {
  let left = count;
  await load.next(({ status }) => status === 200 && --left === 0);
}

/** Seconds from the signal to a clean exit. */
async function drain(service: Service, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
  const start = performance.now();
  service.kill(signal);
  const { code } = await service.exited;
  expect(code, service.output().slice(-2_000)).toBe(0);
  return (performance.now() - start) / 1000;
}

test('under keep-alive load no request fails, and the process exits within 10 seconds', async () => {
  await using stopped = await serve();
  await using other = await serve();
  await using load = startLoad({ targets: [stopped.url, other.url], paths: reads, key });
  await waitForResponses(load, 200);
  expect(await drain(stopped)).toBeLessThan(promised(10));
  await waitForResponses(load, 200);
  await load.stop();
  expect(failures(load.responses)).toEqual({});
});

test('ten rolling restarts of two instances fail no request', async () => {
  const instances = [await serve(), await serve()];
  const targets = instances.map(({ url }) => url);
  const load = startLoad({ targets, paths: reads, key, pauseMs: 20 });
  try {
    for (let restart = 0; restart < 10; restart += 1) {
      const index = restart % 2;
      await waitForResponses(load, 50);
      expect(await drain(instances[index]!)).toBeLessThan(promised(10));
      instances[index] = await serve(instances[index]!.port);
    }
    await waitForResponses(load, 50);
  } finally {
    await load.stop();
    await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
  }
  expect(failures(load.responses)).toEqual({});
});

test('clients that reconnect for each request see no failure behind a load balancer that polls /readyz', async () => {
  await using stopped = await serve();
  await using other = await serve();
  await using load = startLoad({
    targets: [stopped.url, other.url],
    paths: reads,
    key,
    keepAlive: false,
    watchHealth: true,
  });
  await waitForResponses(load, 200);
  expect(await drain(stopped)).toBeLessThan(promised(10));
  await waitForResponses(load, 200);
  await load.stop();
  expect(failures(load.responses)).toEqual({});
});

test('it reports not ready, then refuses connections, and answers open requests', async () => {
  await using service = await serve();
  const inFlight = httpGet(service.url + heldSearch(1), key);
  await hold.running(1);
  service.kill('SIGTERM');
  await service.said(/no longer ready/);
  expect(await httpGet(`${service.url}/readyz`)).toMatchObject({
    status: 503,
    body: { code: 'shutting-down' },
    headers: { 'retry-after': expect.any(String) },
  });
  expect(await httpGet(`${service.url}/v3/customers`, key)).toMatchObject({ status: 200 });
  await service.said(/no new connections/);
  await expect(httpGet(`${service.url}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await hold.release();
  expect(await inFlight).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect((await service.exited).code).toBe(0);
});

describe('a list whose rows are out', () => {
  /** Counts wait for a lock on this table, which rows in the order of the list are not read from. */
  const lockCounts = async () => {
    const client = await database.connect();
    await client.query('begin; lock table clientele.sorted_customers in access exclusive mode');
    return client;
  };

  /** Resolves when the rows have come, and gives the rest of the body. */
  async function openRows(service: Service, search: string) {
    const url = `${service.url}/v3/customers?search=${search}&perPage=1&joinedTo=2030-01-01`;
    const headers = { authorization: `Bearer ${key}`, prefer: 'rows-first' };
    const { body } = await fetch(url, { headers });
    const pieces = body!.pipeThrough(new TextDecoderStream()).getReader();
    const { value: rows = '' } = await pieces.read();
    expect(rows).toMatch(/^\{"data":\[\{[^\]]+\]$/);
    return async (): Promise<string> => {
      const { value, done } = await pieces.read();
      if (done) throw new Error('The body has ended.');
      return rows + value;
    };
  }

  test('gets its total if the count ends in time', async () => {
    await using service = await startService({ ...quiet, DATABASE_URL: database.url });
    const lock = await lockCounts();
    const whole = await openRows(service, 'cust');
    service.kill('SIGTERM');
    await service.said(/no longer ready/);
    await lock.query('rollback');
    expect(JSON.parse(await whole())).toMatchObject({ pagination: { total: customers.length } });
    expect((await service.exited).code).toBe(0);
  });

  test('is cut short if it does not, and the process exits as always', async () => {
    await using service = await startService({ ...quiet, DATABASE_URL: database.url });
    const lock = await lockCounts();
    const whole = await openRows(service, 'cus');
    const [seconds] = await Promise.all([
      drain(service),
      expect(whole()).rejects.toThrow('terminated'),
    ]);
    expect(seconds).toBeLessThan(promised(12));
    await lock.query('rollback');
  });
});

test('an idle connection gets one more response and is closed; one that stays idle does not delay the exit', async () => {
  await using service = await serve();
  const [used, unused] = [1, 2].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  for (const agent of [used, unused]) {
    const { headers } = await httpGet(`${service.url}/livez`, undefined, agent);
    expect(headers.connection).toBe('keep-alive');
  }
  service.kill('SIGTERM');
  await service.said(/no new connections/);
  expect(await httpGet(`${service.url}/livez`, undefined, used)).toMatchObject({
    status: 200,
    headers: { connection: 'close' },
  });
  const start = performance.now();
  expect((await service.exited).code).toBe(0);
  expect(performance.now() - start).toBeLessThan(promised(3_000));
});

test('a second signal ends the process immediately', async () => {
  await using service = await serve();
  const inFlight = httpGet(service.url + heldSearch(1), key);
  inFlight.catch(() => undefined);
  await hold.running(1);
  service.kill('SIGTERM');
  await service.said(/no longer ready/);
  const start = performance.now();
  service.kill('SIGTERM');
  expect((await service.exited).code).toBe(1);
  expect(performance.now() - start).toBeLessThan(promised(1_000));
  await expect(inFlight).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a database that no longer responds does not delay the exit', async () => {
  await using service = await serve();
  expect(await httpGet(`${service.url}/v3/customers`, key)).toMatchObject({ status: 200 });
  const backends = await database.query<{ pid: number }>(
    `select a.pid from pg_stat_activity as a
     where a.datname = current_database() and a.application_name like 'clientele %'`,
  );
  expect(backends.length).toBeGreaterThan(0);
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of backends) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended.
      }
    }
  };
  signal('SIGSTOP');
  // So that a server that waits for them exits too late, but exits.
  const late = setTimeout(signal, 20_000, 'SIGCONT');
  expect(await drain(service)).toBeLessThan(promised(12));
  clearTimeout(late);
  signal('SIGCONT');
});
