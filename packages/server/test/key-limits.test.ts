/** What limits a key besides its scopes: when it expires, and how many customers it is shown in a day. */
import { Nodes } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';
import type { Problem, WireCustomerList } from '@clientele/contract';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DailyRecords } from '../src/access/keys/daily-records.ts';
import { KeyUse } from '../src/access/keys/key-use.ts';
import { insertRandomCustomers, Random } from '@clientele/sandbox/testing';

const customers = 60;
const unknownId = '00000000-0000-4000-8000-000000000000';

let service: TestService;
/** A second instance on the same database. */
let other: FastifyInstance;
let nodes: Nodes;
beforeAll(async () => {
  service = await startTestService();
  await insertRandomCustomers(await service.database.connect(), new Random(16), customers);
  const config = readConfig(
    {
      DATABASE_URL: service.database.url,
      CLIENTELE_RATE_READS: '0',
      LOG_LEVEL: 'silent',
    },
    patient,
  );
  nodes = new Nodes(config);
  other = await buildApp({ config, nodes, readiness: { checked: true, draining: false } });
});
afterAll(async () => {
  await other.close();
  await nodes.close();
  await service[Symbol.asyncDispose]();
});
afterEach(() => void vi.restoreAllMocks());

const ask = (url: string, key: string, app = service.app) =>
  app.inject({ url, headers: { authorization: `Bearer ${key}` } });

const one = async <T extends object>(text: string, values: unknown[] = []): Promise<T> =>
  (await service.database.query<T>(text, values))[0]!;

describe('a key that expires', () => {
  test('works until that moment and not after it, although servers cache keys for ten seconds', async () => {
    const { key, id } = await service.makeKey(undefined, { expiresInSeconds: 4 });
    const now = async () => (await one<{ now: Date }>('select clock_timestamp() as now')).now;
    const { expires_at } = await one<{ expires_at: Date }>(
      'select expires_at from clientele.access_keys where id = $1',
      [id],
    );
    let accepted = 0;
    for (;;) {
      const before = await now();
      const { statusCode } = await ask('/v3/customers', key);
      if (statusCode === 401) break;
      expect([statusCode, before < expires_at]).toEqual([200, true]);
      accepted += 1;
    }
    expect(accepted).toBeGreaterThan(1);
    expect((await now()) >= expires_at, 'rejected only after it expired').toBe(true);
    expect((await ask('/v3/customers', key, other)).statusCode, 'anywhere else').toBe(401);
  });
});

describe('the last use of a key', () => {
  const lastUse = async (id: string) =>
    await one<{ ago: number | null }>(
      `select extract(epoch from clock_timestamp() - k.last_used_at)::float8 as ago
       from clientele.access_keys as k where k.id = $1`,
      [id],
    );

  test('is noted by a running service, once for many requests', async () => {
    const noted = vi.spyOn(KeyUse.prototype, 'note');
    const { key, id } = await service.makeKey();
    for (let i = 0; i < 20; i += 1) await ask('/v3/customers', key);
    expect(noted.mock.calls).toEqual([[id]]);
    expect(await lastUse(id), 'not at once').toEqual({ ago: null });
    await (noted.mock.contexts[0] as KeyUse).write();
    expect((await lastUse(id)).ago).toBeLessThan(10);
  });

  test('is written a minute after it was noted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const written: unknown[] = [];
    const use = new KeyUse({ query: async (_statement, values) => (written.push(values), []) });
    use.note('a');
    vi.advanceTimersByTime(20_000);
    use.note('b');
    vi.advanceTimersByTime(40_000);
    vi.useRealTimers();
    expect(written).toEqual([
      [
        ['a', 'b'],
        [60, 40],
      ],
    ]);
    use.close();
  });

  test('is kept while it cannot be written, and then has the time of the use', async () => {
    const { id } = await service.makeKey();
    const { writes } = nodes.authority;
    let times = 0;
    const use = new KeyUse({
      query: async (...args) => {
        times += 1;
        if (times === 1) throw new Error('no primary');
        return writes.query(...args);
      },
    });
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
    use.note(id);
    await use.write();
    expect(await lastUse(id)).toEqual({ ago: null });
    clock.mockReturnValue(1_090_000);
    await use.write();
    clock.mockRestore();
    expect((await lastUse(id)).ago).toBeGreaterThanOrEqual(90);
    expect((await lastUse(id)).ago).toBeLessThan(120);
    await use.write();
    expect(times, 'nothing is written twice').toBe(2);
    use.close();
  });

  test('never waits for a key that somebody else is changing', async () => {
    const { id } = await service.makeKey();
    const owner = await service.database.connect();
    await owner.query('begin');
    await owner.query('select from clientele.access_keys where id = $1 for update', [id]);
    const use = new KeyUse(nodes.authority.writes);
    use.note(id);
    await use.write();
    expect(await lastUse(id)).toEqual({ ago: null });
    await owner.query('rollback');
    use.close();
  });
});

describe('records per day', () => {
  const shownOf = async (id: string) =>
    Number(
      (
        await one<{ records: string }>(
          'select records from clientele.records_shown where caller = $1',
          [id],
        )
      ).records,
    );

  test('two instances together show exactly as many customers as the key may be shown', async () => {
    const recordsPerDay = 100;
    const { key, id } = await service.makeKey(undefined, { recordsPerDay });
    let shown = 0;
    let refused = 0;
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(
        [1, 2, 3, 4].flatMap((page) =>
          [service.app, other].map((app) => ask(`/v3/customers?perPage=7&page=${page}`, key, app)),
        ),
      );
      for (const { statusCode, ...answer } of answers) {
        if (statusCode === 200) shown += answer.json<WireCustomerList>().data.length;
        else {
          expect([statusCode, answer.json<Problem>().code]).toEqual([429, 'records-used-up']);
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(shown, 'the last page that fits').toBe(98);
    expect(await shownOf(id)).toBe(shown);
    const rest = await ask('/v3/customers?perPage=2', key);
    expect(rest.statusCode, 'a smaller page still fits').toBe(200);
    expect(await shownOf(id)).toBe(recordsPerDay);
  });

  test('the refusal lasts until the day ends in UTC, and is of this key alone', async () => {
    const { key, id } = await service.makeKey(undefined, { recordsPerDay: 1 });
    expect((await ask('/v3/customers?perPage=1', key)).statusCode).toBe(200);
    const pages = vi.spyOn(nodes.all[0]!.database.lists, 'query');
    for (const app of [service.app, other, service.app]) {
      const before = (86_400_000 - (Date.now() % 86_400_000)) / 1_000;
      const { headers, ...response } = await ask('/v3/customers?perPage=1', key, app);
      expect(response.json()).toMatchObject({ code: 'records-used-up', status: 429 });
      expect(Math.abs(Number(headers['retry-after']) - before)).toBeLessThan(3);
    }
    pages.mockClear();
    await ask('/v3/customers?perPage=1', key, other);
    expect(pages, 'once it is known, refused without reading the page').not.toHaveBeenCalled();
    expect((await service.get('/v3/customers')).statusCode).toBe(200);
    await service.database.query(
      'update clientele.records_shown set day = day - 1 where caller = $1',
      [id],
    );
    const fresh = new DailyRecords(nodes.authority.writes);
    expect(await fresh.take({ id, recordsPerDay: 1 }, 1), 'the next day').toBe(true);
    expect(await shownOf(id)).toBe(1);
  });

  test('what shows nobody but says how many there are counts as one', async () => {
    const recordsPerDay = 7;
    const { key, id } = await service.makeKey(undefined, { recordsPerDay });
    const urls = [
      '/v3/customers?search=nobody-of-this-name',
      '/v3/customers?search=a&page=1000000',
      '/v3/customers?page=1000000',
      '/v3/customers?verified=true&page=1000000',
      '/v3/customers/timeline?search=a',
      `/v3/customers/timeline?search=${unknownId}`,
      '/v3/customers/suggestions?search=nobody-of-this-name',
    ];
    for (const [i, url] of urls.entries()) {
      expect((await ask(url, key)).statusCode, url).toBe(200);
      expect(await shownOf(id), url).toBe(i + 1);
    }
    for (const url of urls) expect((await ask(url, key)).statusCode, url).toBe(429);
    expect(await shownOf(id)).toBe(recordsPerDay);
  });

  test('a lookup counts as one, also in a session; a 404 counts as nothing', async () => {
    const { key, id } = await service.makeKey(undefined, { recordsPerDay: 10 });
    const [customer] = (await service.get('/v3/customers?perPage=1')).json<WireCustomerList>().data;
    expect((await ask(`/v3/customers/${unknownId}`, key)).statusCode).toBe(404);
    expect((await ask(`/v3/customers/${customer!.uuid}`, key)).statusCode).toBe(200);
    const signedIn = await service.app.inject({
      method: 'POST',
      url: '/session',
      payload: { key },
    });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
    const url = `/v3/customers?search=${customer!.uuid}`;
    expect((await service.app.inject({ url, headers: { cookie } })).statusCode).toBe(200);
    expect(await shownOf(id)).toBe(2);
  });

  test('a key without a limit costs no write', async () => {
    const written = vi.spyOn(nodes.all[0]!.database.writes, 'query');
    expect((await ask('/v3/customers', service.key, other)).statusCode).toBe(200);
    expect(written).not.toHaveBeenCalled();
  });

  test('without a primary, an instance counts by itself, and reports it when there is one', async () => {
    const { id } = await service.makeKey();
    const { writes } = nodes.authority;
    let isThere = true;
    const query: typeof writes.query = (...args) =>
      isThere ? writes.query(...args) : Promise.reject(new Error('no primary'));
    const records = new DailyRecords({ query });
    const caller = { id, recordsPerDay: 10 };
    expect(await records.take(caller, 4)).toBe(true);
    isThere = false;
    expect(await records.take(caller, 5), '9 of 10').toBe(true);
    expect(await records.take(caller, 5), 'too many').toBe(false);
    expect(await shownOf(id)).toBe(4);
    isThere = true;
    expect(await records.take(caller, 1)).toBe(true);
    expect(await shownOf(id)).toBe(10);
    expect(await records.take(caller, 1)).toBe(false);
  });

  test('many requests at once are counted by few statements', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const written = vi.spyOn(nodes.all[0]!.database.writes, 'query');
    const records = new DailyRecords(nodes.authority.writes);
    const taken = await Promise.all(
      Array.from({ length: 150 }, (_, i) =>
        records.take({ id: ids[i % 5]!, recordsPerDay: 20 }, 1),
      ),
    );
    expect(taken.filter(Boolean)).toHaveLength(100);
    expect(written.mock.calls.length).toBeLessThanOrEqual(2);
    for (const id of ids) expect(await shownOf(id)).toBe(20);
  });
});
