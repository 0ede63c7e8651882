/**
 * Counts travel between three streaming nodes, and are exact wherever they are used.
 * `EXACTNESS_CHECKS=20000 pnpm vitest run exactness-nodes` runs longer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  caughtUp,
  createDirectory,
  insertRandomCustomers,
  patient,
  Random,
  type Replica,
  startReplica,
} from '@clientele/sandbox/testing';
import { startPrivatePostgres, type PrivatePostgres } from '@clientele/sandbox';
import { PageMaps } from '../src/maps/page-maps.ts';
import {
  codeOf,
  type Database,
  DatabaseUnavailableError,
  NoSlotError,
  openDatabase,
  QueryTimeoutError,
  SearchReader,
} from '@clientele/directory';
import { RandomWriters } from './setup/random-writers.ts';
import { connectTo, countCustomers, postgresUnderTest } from './setup/served-list.ts';
import { TravellingStates } from './setup/travelling-states.ts';

const checks = Number(process.env['EXACTNESS_CHECKS'] ?? 250);
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const customers = 400;
const connections = { lookups: 1, lists: 4, searches: 2, scans: 2 };

let primary: PrivatePostgres;
let url: string;
let replicas: Replica[] = [];
let nodes: Database[] = [];

beforeAll(async () => {
  const postgres = await postgresUnderTest();
  primary = await startPrivatePostgres({
    postgres,
    settings: {
      ...{ max_prepared_transactions: 20, wal_keep_size: '1GB', fsync: false },
      // Commits of one level wait for the first replica, and those of another do not.
      ...{ synchronous_commit: 'local', synchronous_standby_names: 'alpha' },
    },
  });
  url = await createDirectory(primary);
  const delay = { max_standby_streaming_delay: '1s' };
  for (const name of ['alpha', 'beta']) {
    replicas.push(await startReplica(postgres, primary, delay, name));
  }
  const owner = await connectTo(url);
  await insertRandomCustomers(owner, new Random(seed), customers);
  await owner.query('vacuum analyze customers');
  await owner.end();
  nodes = [url, ...replicas.map((replica) => replica.url)].map((at) =>
    openDatabase({ url: at, connections, timeouts: patient }),
  );
  await allCaughtUp();
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await primary?.stop();
});

async function allCaughtUp(): Promise<void> {
  for (const replica of replicas) await caughtUp(replica.url, url);
}

/** Replay cancels statements that still need what was vacuumed. Throws other errors. */
function isConflict(error: unknown): false {
  const busy = [DatabaseUnavailableError, QueryTimeoutError, NoSlotError];
  if (codeOf(error) !== '40001' && !busy.some((kind) => error instanceof kind)) throw error;
  return false;
}

/** Pauses and resumes replay at random, so that the nodes are at different moments. */
async function pauseReplay(replica: Replica, random: Random, signal: AbortSignal): Promise<void> {
  const client = await connectTo(replica.url);
  const persist = async (statement: string): Promise<void> => {
    while (!(await client.query(statement).then(() => true, isConflict)));
  };
  while (!signal.aborted) {
    await persist('select pg_wal_replay_pause()');
    await sleep(random.below(80));
    await persist('select pg_wal_replay_resume()');
    await sleep(random.below(40));
  }
  await client.end();
}

test(
  `${checks} counts of other nodes are exact where they are used (seed ${seed})`,
  { timeout: 600_000 + checks * 60 },
  async () => {
    const random = new Random(seed);
    // One writer waits for a replica and the others do not, so that nodes see their commits in different orders.
    const levels = ['remote_apply', 'local', 'off', 'on'];
    let connected = 0;
    const connect = async (): Promise<pg.Client> => {
      const client = await connectTo(url);
      await client.query(`set synchronous_commit = ${levels[connected++ % levels.length]}`);
      return client;
    };
    const writers = new RandomWriters({ connect, seed, writers: 4, customers });
    const states = new TravellingStates(random);
    const { travels } = states;
    for (const node of nodes) await states.count(node);
    const stop = new AbortController();
    const pausing = replicas.map((replica, i) =>
      pauseReplay(replica, new Random(seed + i), stop.signal),
    );
    await writers.start();
    const read = async (): Promise<void> => {
      while (travels.adopted + travels.refused < checks) {
        try {
          const counted = random.chance(0.3) ? await states.count(random.pick(nodes)) : undefined;
          await states.check(random.pick(nodes), counted);
        } catch (error) {
          isConflict(error);
        }
      }
    };
    try {
      await Promise.all(nodes.map(read));
    } finally {
      stop.abort();
      await Promise.all(pausing);
      await writers.stop();
    }
    await allCaughtUp();
    for (const node of nodes) await states.checkAll(node);
    process.stdout.write(`${JSON.stringify({ seed, ...travels, ...writers.done })}\n`);
    const { adopted, refused, wrong, forks } = travels;
    expect(wrong).toBe(0);
    expect(adopted / (adopted + refused), 'many counts travel').toBeGreaterThan(0.3);
    // In a short run there may be none: see the next test.
    if (checks < 20_000) return;
    expect(forks, 'nodes saw commits in different orders').toBeGreaterThanOrEqual(20);
  },
);

test('two commits that nodes see in different orders: the sum of both, not of one', async () => {
  const states = new TravellingStates(new Random(seed));
  const { travels } = states;
  const [owner, waiting, first, second] = [
    await connectTo(url),
    await connectTo(url),
    await connectTo(replicas[0]!.url),
    await connectTo(replicas[1]!.url),
  ];
  await allCaughtUp();
  const before = await countCustomers(owner);
  await first.query('select pg_wal_replay_pause()');
  await waiting.query('set synchronous_commit = remote_apply');
  const committed = insertRandomCustomers(waiting, new Random(1), 2);
  // Its commit is written and replayed by the second replica, while the primary waits for the first.
  await vi.waitFor(async () => expect(await countCustomers(second)).toBe(before + 2), 300_000);
  await second.query('select pg_wal_replay_pause()');
  await insertRandomCustomers(owner, new Random(2), 1);
  expect(await countCustomers(owner), 'the primary sees the later commit only').toBe(before + 1);
  expect(await countCustomers(second), 'the replica sees the earlier one only').toBe(before + 2);

  await states.count(nodes[0]!, '');
  await states.count(nodes[2]!, '');
  await states.checkAll(nodes[0]!);
  await states.checkAll(nodes[2]!);
  expect(travels, 'neither is used on the other node').toMatchObject({ adopted: 0, refused: 2 });
  for (const replica of [first, second]) await replica.query('select pg_wal_replay_resume()');
  await committed;
  await allCaughtUp();
  expect(await countCustomers(second)).toBe(before + 3);
  for (const node of nodes) await states.checkAll(node);
  expect(travels, 'each is brought to the sum of both').toMatchObject({ refused: 2, wrong: 0 });
  expect(travels.adopted).toBeGreaterThanOrEqual(4);
  await Promise.all([owner, waiting, first, second].map((client) => client.end()));
});

test('a search that one node has counted, or is counting, is not counted on the others', async () => {
  await allCaughtUp();
  const beside = new PageMaps(nodes[0]!, 10_000_000);
  const others = nodes.slice(1).map((node) => new PageMaps(node, 10_000_000, { beside }));
  const maps = [beside, ...others];
  const searches = new SearchReader(nodes[0]!.searches);
  const signal = AbortSignal.timeout(300_000);
  const find = async (on: PageMaps, text: string): Promise<number> => {
    const search = await searches.read(text, signal);
    if (search.kind !== 'terms') throw new Error('a search for an identifier has no map');
    return (await on.findPage(search, { offset: 0, limit: 25 }, signal)).total;
  };
  const owner = await connectTo(url);
  for (const text of ['', 'smith', 'anna gmail']) {
    const [total, ...others] = await Promise.all(maps.map((on) => find(on, text)));
    expect(others).toEqual([total, total]);
  }
  const made = (what: 'counted' | 'adopted') =>
    maps.reduce((sum, { cache }) => sum + cache.made[what], 0);
  expect([made('counted'), made('adopted')]).toEqual([3, 6]);
  // A later search, of a node that has seen it when another is still behind.
  await owner.query('set synchronous_commit = local');
  await insertRandomCustomers(owner, new Random(3), 5);
  const total = await find(maps[0]!, 'gmail');
  expect(await find(maps[1]!, 'gmail')).toBe(total);
  await owner.end();
  expect([made('counted'), made('adopted')]).toEqual([4, 7]);
});
