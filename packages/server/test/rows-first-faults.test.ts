/**
 * What happens when something fails between the rows of a response and its end. `ROWS_FIRST_FAULTS=1000` repeats each
 * fault more often.
 */
import {
  insertRandomCustomers,
  patient,
  Random,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAtRest, holdCounts } from './setup/held-counts.ts';
import { startNodeSet } from './setup/node-set.ts';
import { listen } from './setup/raw-http.ts';
import { postgresUnderTest } from './setup/served-list.ts';
import { serveFrom } from './setup/served-nodes.ts';
import { openList, type OpenList } from './setup/two-pieces.ts';

const times = Number(process.env['ROWS_FIRST_FAULTS'] ?? 20);

let service: TestService;
let origin: string;
/** Of the responses that showed customers. */
const shown: string[] = [];
/** By the instances that are closed. */
let logged = '';
const settings = { CLIENTELE_AUDIT: 'on', CLIENTELE_WARM_UP: 'off' };
beforeAll(async () => {
  service = await startTestService(settings);
  await insertCustomers();
  // What all counts share is known from now on.
  await service.get('/v3/customers');
  origin = `http://127.0.0.1:${await listen(service.app)}`;
});
afterAll(() => service[Symbol.asyncDispose]());

async function insertCustomers(): Promise<void> {
  const client = await service.database.connect();
  await insertRandomCustomers(client, new Random(3), 300);
  await client.query('analyze customers');
  await client.end();
}

afterEach(() => expectAtRest(service.nodes));

let searches = 0;
/** Each is another search, so none of them was counted. */
const url = (at = origin): string =>
  `${at}/v3/customers?search=a&perPage=1&joinedTo=${new Date(Date.UTC(3000) + searches++).toISOString()}`;

/** Resolves when the rows are there, and the count has not started. */
async function openRows(): Promise<OpenList> {
  const list = await openList(url(), service.key);
  expect(await list.rows()).toHaveLength(1);
  shown.push(list.headers['x-request-id'] as string);
  return list;
}

/** Whether it ended after the rows, and no parser accepts it. */
async function isCutShort(list: OpenList): Promise<boolean> {
  await expect(list.whole()).rejects.toThrow('cut short');
  const text = await list.text();
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  return text.startsWith('{"data":[{');
}

const waitingCounts = ({ nodes } = service): number => {
  const { searches: places, scans } = nodes.all[0]!.database;
  return places.slots.waiting + scans.slots.waiting;
};

/** Some repeat faults that take a second each. */
const timeout = 600_000 + 2_000 * times;

test('a client that leaves takes its count with it', { timeout }, async () => {
  using _held = await holdCounts(service.nodes);
  for (let i = 0; i < times; i += 1) {
    const list = await openRows();
    // On a busy server, a count begins a moment after its rows.
    await vi.waitFor(() => expect(waitingCounts()).toBe(1), 60_000);
    list.hangUp();
    await vi.waitFor(() => expect(waitingCounts()).toBe(0), 60_000);
  }
});

test('of several clients with one search, the others get the total', async () => {
  using held = await holdCounts(service.nodes);
  const [gone, ...others] = await Promise.all(
    ((same) => Array.from({ length: 3 }, () => openList(same, service.key)))(url()),
  );
  await Promise.all([gone!, ...others].map((list) => list.rows()));
  gone!.hangUp();
  await gone!.text();
  held.release();
  const bodies = await Promise.all(others.map((list) => list.whole()));
  expect(bodies[0]).toEqual(bodies[1]);
});

test('a response is cut short when the table is truncated after its rows; HEAD has none, and waits for the count', async () => {
  using held = await holdCounts(service.nodes);
  const headers = { authorization: `Bearer ${service.key}`, prefer: 'rows-first' };
  const head = service.app.inject({ method: 'HEAD', url: url(), headers });
  const list = await openRows();
  await service.database.query('truncate customers');
  held.release();
  expect(await isCutShort(list)).toBe(true);
  expect((await head).statusCode).toBe(200);
  await insertCustomers();
});

/** The count waits for the lock that this client holds. */
async function lockCustomers() {
  const client = await service.database.connect();
  await client.query('begin; lock table public.customers in access exclusive mode');
  return client;
}

const countIsBlocked = (): Promise<void> =>
  vi.waitFor(async () => {
    const rows = await service.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and application_name in ('clientele scans', 'clientele searches')`,
    );
    expect(rows).toHaveLength(1);
  }, 300_000);

test('a count that is running stops when its client leaves', { timeout }, async () => {
  for (let i = 0; i < times; i += 1) {
    using held = await holdCounts(service.nodes);
    const list = await openRows();
    const holder = await lockCustomers();
    held.release();
    await countIsBlocked();
    list.hangUp();
    await vi.waitFor(async () => {
      const rows = await service.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and application_name like 'clientele %'`,
      );
      expect(rows).toHaveLength(0);
    }, 300_000);
    await holder.query('rollback');
    await holder.end();
  }
});

test(
  'a response is cut short when the database ends the connections of its count',
  { timeout },
  async () => {
    for (let i = 0; i < times; i += 1) {
      using held = await holdCounts(service.nodes);
      const list = await openRows();
      const holder = await lockCustomers();
      held.release();
      // The count is tried again on another connection.
      await vi.waitFor(
        async () => {
          await service.database.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'
             and application_name in ('clientele scans', 'clientele searches')`,
          );
          expect(list.ended).toBe(true);
        },
        { timeout: 300_000, interval: 10 },
      );
      expect(await isCutShort(list)).toBe(true);
      await holder.query('rollback');
      await holder.end();
    }
  },
);

test('a response is cut short when PostgreSQL is killed, and the next one is whole when it is back', async () => {
  await using set = await startNodeSet(await postgresUnderTest(), 0);
  const [node] = set.nodes;
  const owner = await node!.connect();
  await insertRandomCustomers(owner, new Random(4), 300);
  await owner.end();
  const { app, nodes } = await serveFrom(set, { CLIENTELE_WARM_UP: 'off' }, patient);
  const killed = `http://127.0.0.1:${await listen(app)}/v3/customers?search=a&perPage=1`;
  using held = await holdCounts(nodes);
  const list = await openList(killed, '');
  expect(await list.rows()).toHaveLength(1);
  await node!.kill();
  held.release();
  expect(await isCutShort(list)).toBe(true);
  await expectAtRest(nodes);
  await node!.start();
  expect((await (await openList(killed, '')).whole()).pagination.total).toBeGreaterThan(1);
});

describe('at the deadline', () => {
  let hasty: TestService;
  let at: string;
  beforeAll(async () => {
    hasty = await startTestService(
      { ...settings, CLIENTELE_AUDIT_SPOOL: 'none', DATABASE_URL: service.database.url },
      { timeouts: { ...patient, handler: 1_000 } },
    );
    at = `http://127.0.0.1:${await listen(hasty.app)}`;
  });
  afterEach(() => expectAtRest(hasty.nodes));
  afterAll(async () => {
    logged += hasty.logged();
    await hasty[Symbol.asyncDispose]();
  });

  /** Undefined where a busy machine has taken longer for the rows. */
  async function openOne(of: string): Promise<OpenList | undefined> {
    const list = await openList(of, service.key);
    if (list.status !== 200) return undefined;
    shown.push(list.headers['x-request-id'] as string);
    return list;
  }

  test('a response is cut short', { timeout }, async () => {
    using _held = await holdCounts(hasty.nodes);
    for (let cut = 0; cut < times;) {
      const lists = await Promise.all(Array.from({ length: 5 }, () => openOne(url(at))));
      for (const list of lists) {
        if (!list) continue;
        expect(await isCutShort(list)).toBe(true);
        cut += 1;
      }
    }
  });

  test('its count goes on, and the next request gets the total', async () => {
    for (let list: OpenList | undefined; !list;) {
      using held = await holdCounts(hasty.nodes);
      const same = url(at);
      list = await openOne(same);
      if (!list) continue;
      expect(await isCutShort(list)).toBe(true);
      // Where a busy machine has taken longer for the rows, there was no time for a count.
      if (waitingCounts(hasty) === 0) list = undefined;
      if (!list) continue;
      held.release();
      await expectAtRest(hasty.nodes);
      const again = await openOne(same);
      expect(again?.headers['content-length'], 'it was counted meanwhile').toBeDefined();
      expect((await again!.whole()).pagination.total).toBeGreaterThan(0);
    }
  });
});

test('a response is cut short when the server closes its connections', { timeout }, async () => {
  using _held = await holdCounts(service.nodes);
  for (let i = 0; i < times; i += 1) {
    const list = await openRows();
    service.app.server.closeAllConnections();
    expect(await isCutShort(list)).toBe(true);
    await vi.waitFor(() => expect(waitingCounts()).toBe(0), 60_000);
  }
});

test('an error after the rows is logged and counted like a refusal', () => {
  logged += service.logged();
  const lines = logged
    .split('\n')
    .filter((line) => line.includes('"cut short"') || line.includes('"request"'))
    .map(
      (line) => JSON.parse(line) as { msg: string; reqId: string; code: string; status: number },
    );
  const [cut, ended] = ['cut short', 'request'].map((msg) =>
    lines.filter((line) => line.msg === msg),
  );
  const codes = new Set(cut!.map(({ code }) => code));
  expect(codes).toEqual(new Set(['database-unavailable', 'query-timeout']));
  const statuses = new Map(ended!.map(({ reqId, status }) => [reqId, status]));
  for (const { reqId, code } of cut!) {
    expect(statuses.get(reqId), 'the status that metrics and alerts see').toBe(
      code === 'query-timeout' ? 504 : 503,
    );
  }
  expect(logged).not.toContain('Promise errored');
});

test('everybody who was shown is on record', async () => {
  const [entries] = await service.database.query<{ recorded: number }>(
    `select count(*)::int as recorded from clientele.audit_entries as e
     where e.request_id = any ($1) and e.shown = 1`,
    [shown],
  );
  expect(shown.length).toBeGreaterThan(4 * times);
  expect(entries).toEqual({ recorded: shown.length });
});
