/** An instance that reads from several nodes: no single node can make a read fail, or make it old. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { buildApp, Nodes, readConfig } from '@clientele/server';
import { insertRandomCustomers } from './setup/random-customers.ts';
import { Random } from './setup/random.ts';
import { startNodeSet, type NodeSet, type TestNode } from './setup/node-set.ts';
import { countCustomers, postgresUnderTest } from './setup/served-list.ts';

const customers = 200;
let set: NodeSet;
let primary: TestNode;
let one: TestNode;
let two: TestNode;

beforeEach(async () => {
  set = await startNodeSet(await postgresUnderTest());
  [primary, one, two] = set.nodes as [TestNode, TestNode, TestNode];
  const owner = await primary.connect();
  await insertRandomCustomers(owner, new Random(1), customers);
  await owner.end();
  for (const node of [one, two]) await showsAll(node, customers);
});
afterEach(() => set?.[Symbol.asyncDispose]());

async function showsAll(node: TestNode, count: number): Promise<void> {
  const client = await node.connect();
  while ((await countCustomers(client)) < count);
  await client.end();
}

interface Instance {
  app: FastifyInstance;
  nodes: Nodes;
  /** How many requests each node has been given since the last call, by its name. */
  shares(): Record<string, number>;
}

async function serve(env: Record<string, string> = {}): Promise<Instance> {
  const config = readConfig({ DATABASE_URL: set.url, CLIENTELE_AUTH: 'none', ...env });
  const nodes = new Nodes(config.database);
  const readiness = { checked: true, draining: false };
  const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
  await nodes.start();
  onTestFinished(async () => {
    await app.close();
    await nodes.close();
  });
  const before = new Map<string, number>();
  return {
    app,
    nodes,
    shares: () =>
      Object.fromEntries(
        nodes.all.map(({ name, requests }) => {
          const given = requests - (before.get(name) ?? 0);
          before.set(name, requests);
          return [name, given];
        }),
      ),
  };
}

interface Load {
  requests: number;
  /** Responses other than 200. */
  failed: string[];
  longestMs: number;
}

/** 50 requests a second, lists and lookups, until `work` is done. Later ones do not wait for earlier ones. */
async function underLoad(app: FastifyInstance, work: () => Promise<unknown>): Promise<Load> {
  const id = (await primary.query<{ uuid: string }>('select uuid from customers limit 1'))[0]!.uuid;
  const load: Load = { requests: 0, failed: [], longestMs: 0 };
  const under: Promise<void>[] = [];
  const request = async (url: string): Promise<void> => {
    const before = performance.now();
    const { statusCode, body } = await app.inject(url);
    load.longestMs = Math.max(load.longestMs, performance.now() - before);
    if (statusCode !== 200) load.failed.push(`${statusCode} ${body}`);
  };
  const searches = ['', 'anna', 'a', 'smith', 'gmail'];
  const timer = setInterval(() => {
    load.requests += 1;
    const search = searches[load.requests % searches.length]!;
    const page = 1 + (load.requests % 3);
    const lookup = load.requests % 5 < 2;
    under.push(
      request(lookup ? `/v3/customers/${id}` : `/v3/customers?search=${search}&page=${page}`),
    );
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await Promise.all(under);
  }
  return load;
}

async function until(what: () => boolean | Promise<boolean>, withinMs: number): Promise<number> {
  const started = performance.now();
  while (!(await what())) {
    if (performance.now() - started > withinMs)
      throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
  return performance.now() - started;
}

const named = ({ nodes }: Instance, { name }: TestNode) =>
  nodes.all.find((node) => node.name === name)!;

test('reads go to the replicas, and to the primary too if wanted', async () => {
  const instance = await serve();
  expect((await underLoad(instance.app, () => sleep(1_000))).failed).toEqual([]);
  const { [primary.name]: none, [one.name]: first, [two.name]: second } = instance.shares();
  expect(none).toBe(0);
  expect(Math.min(first!, second!)).toBeGreaterThan(5);
  const all = await serve({ CLIENTELE_READ_FROM: 'all' });
  expect((await underLoad(all.app, () => sleep(1_000))).failed).toEqual([]);
  expect(Math.min(...Object.values(all.shares()))).toBeGreaterThan(2);
});

test('a killed replica fails no read, is out within a second, and comes back', async () => {
  const instance = await serve();
  const node = named(instance, one);
  let out = 0;
  let back = 0;
  const load = await underLoad(instance.app, async () => {
    await sleep(500);
    const killed = one.kill();
    out = await until(() => node.ejected, 5_000);
    await killed;
    await sleep(2_000);
    await one.start();
    back = await until(() => node.responds && node.history === 'ours', 12_000);
    instance.shares();
    await sleep(1_000);
  });
  process.stdout.write(`killed: ${JSON.stringify({ ...load, out, back })}\n`);
  expect(load.failed).toEqual([]);
  expect(out).toBeLessThan(1_000);
  expect(back).toBeLessThan(10_000);
  expect(instance.shares()[one.name]).toBeGreaterThan(5);
});

test('a frozen replica fails no read and delays none by five seconds', async () => {
  const instance = await serve();
  const node = named(instance, one);
  let out = 0;
  const load = await underLoad(instance.app, async () => {
    await sleep(500);
    await one.freeze();
    out = await until(() => node.ejected, 5_000);
    await sleep(1_000);
    await one.thaw();
    await until(() => node.responds && node.history === 'ours', 10_000);
  });
  process.stdout.write(`frozen: ${JSON.stringify({ ...load, out })}\n`);
  expect(load.failed).toEqual([]);
  expect(load.longestMs).toBeLessThan(5_000);
});
