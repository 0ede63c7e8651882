/** An instance that reads from several nodes: no single node can make a read fail, slow or old. */
import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@clientele/contract';
import {
  connectToPrimary,
  examineNodes,
  insertKey,
  makeAccessKey,
  type NodeFinding,
  readConnections,
  readMigrations,
  revokeKey,
} from '@clientele/directory';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { promised, stoodStillSince } from '@clientele/sandbox/testing/machine';
import { holdCounts } from './setup/held-counts.ts';
import {
  caughtUp,
  createLoginRole,
  insertRandomCustomers,
  Random,
} from '@clientele/sandbox/testing';
import { listen } from './setup/raw-http.ts';
import { startNodeSet, type NodeSet, type TestNode } from './setup/node-set.ts';
import { postgresUnderTest } from './setup/served-list.ts';
import {
  nodeOf,
  serveFrom,
  serves,
  underLoad,
  until,
  type Instance,
} from './setup/served-nodes.ts';
import { openList } from './setup/two-pieces.ts';

const customers = 200;
let set: NodeSet;
let primary: TestNode;
let one: TestNode;
let two: TestNode;

beforeAll(async () => {
  set = await startNodeSet(await postgresUnderTest());
  [primary, one, two] = set.nodes as [TestNode, TestNode, TestNode];
  const owner = await primary.connect();
  await insertRandomCustomers(owner, new Random(1), customers);
  await owner.end();
  await caughtUp(one.url, primary.url);
  await caughtUp(two.url, primary.url);
});
afterAll(() => set?.[Symbol.asyncDispose]());

const touch = () =>
  primary.query(
    'update customers set total_orders = 1 where ctid = (select min(ctid) from customers)',
  );
const pause = (replica: TestNode) => replica.query('select pg_wal_replay_pause()');

/** Replay that has just resumed may cancel the statement that resumed it. */
const resume = (replica: TestNode) =>
  replica.query('select pg_wal_replay_resume()').catch((error: { code?: string }) => {
    if (error.code !== '40001') throw error;
  });

/** How many requests it has served, if the replicas had the time to answer. */
const readsOfPrimary = (instance: Instance, since: number): number =>
  stoodStillSince(since) ? 0 : instance.shares()[primary.name]!;

test('reads go to the replicas, and to the primary too if wanted', async () => {
  const readBy = async (instance: Instance, nodes: TestNode[]): Promise<void> => {
    const known = nodes.map((node) => nodeOf(instance, node));
    const enough = () => known.every(({ requests }) => requests > 5);
    expect((await underLoad(instance, () => until(enough, 30_000))).failed).toEqual([]);
  };
  const instance = await serveFrom(set);
  const start = performance.now();
  await readBy(instance, [one, two]);
  expect(readsOfPrimary(instance, start)).toBe(0);
  await readBy(await serveFrom(set, { CLIENTELE_READ_FROM: 'all' }), set.nodes);
});

test('a killed replica fails no read, is out within a second, and comes back', async () => {
  const instance = await serveFrom(set);
  const node = nodeOf(instance, one);
  let out = 0;
  let back = 0;
  const load = await underLoad(instance, async () => {
    await sleep(500);
    await one.kill();
    out = await until(() => node.ejected, 5_000);
    await sleep(2_000);
    await one.start();
    back = await until(() => serves(node), 12_000);
    const before = node.requests;
    await until(() => node.requests > before + 5, 5_000);
  });
  expect(load.failed).toEqual([]);
  expect(out).toBeLessThan(promised(1_000));
  expect(back).toBeLessThan(promised(10_000));
  expect(load.longestMs).toBeLessThan(promised(2_000));
});

test('a replica that is killed after the rows cuts them short, is out, and another one answers again', async () => {
  const instance = await serveFrom(set, { CLIENTELE_WARM_UP: 'off' });
  const { all } = instance.nodes;
  const url = `http://127.0.0.1:${await listen(instance.app)}/v3/customers?search=an&perPage=1`;
  const held = await Promise.all(all.map((node) => holdCounts({ all: [node] })));
  const list = await openList(url, '');
  expect(await list.rows()).toHaveLength(1);
  const node = all.find(({ role, inFlight }) => role === 'replica' && inFlight === 1);
  expect(node, 'it is still at work').toBeDefined();
  const replica = [one, two].find(({ name }) => name === node!.name)!;
  await replica.kill();
  for (const each of held) each.release();
  await expect(list.whole()).rejects.toThrow('cut short');
  await until(() => node!.ejected, 5_000);
  expect(node!.inFlight).toBe(0);
  const again = await (await openList(url, '')).whole();
  expect(again.pagination.total).toBeGreaterThan(1);
  await replica.start();
  await until(() => serves(node!), 12_000);
});

test.each<[string, () => void | Promise<void>, () => void | Promise<void>]>([
  ['frozen', () => one.freeze(), () => one.thaw()],
  ['unreachable', () => one.proxy.set({ kind: 'silence' }), () => one.proxy.set({ kind: 'none' })],
])(
  'a replica that is %s fails no read and delays none by five seconds',
  async (_, fail, recover) => {
    const instance = await serveFrom(set);
    const node = nodeOf(instance, one);
    const load = await underLoad(instance, async () => {
      await sleep(500);
      await fail();
      expect(await until(() => node.ejected, 5_000)).toBeLessThan(promised(3_000));
      await sleep(500);
      await recover();
      await until(() => serves(node), 10_000);
    });
    expect(load.failed).toEqual([]);
    expect(load.longestMs).toBeLessThan(promised(5_000));
  },
);

test('a replica that is a second slower than the others gets at most a tenth of the requests', async () => {
  const instance = await serveFrom(set);
  onTestFinished(() => one.proxy.set({ kind: 'none' }));
  const load = await underLoad(instance, async () => {
    one.proxy.set({ kind: 'latency', ms: 1_000 });
    await sleep(5_000);
    instance.shares();
    await sleep(2_000);
  });
  const { [one.name]: slow, [two.name]: fast } = instance.shares();
  expect(load.failed).toEqual([]);
  expect(load.longestMs).toBeLessThan(promised(5_000));
  expect(slow! / (slow! + fast!)).toBeLessThan(0.1);
});

test('killed backends fail no read and eject nobody', async () => {
  const instance = await serveFrom(set);
  const load = await underLoad(instance, async () => {
    for (let i = 0; i < 20; i += 1) {
      await [one, two][i % 2]!.query(
        `select pg_terminate_backend(a.pid) from pg_stat_activity as a
         where a.application_name like 'clientele %' and a.application_name <> 'clientele probe'
         order by random() limit 2`,
      );
      await sleep(100);
    }
  });
  expect(load.failed).toEqual([]);
  expect(instance.nodes.all.map(({ ejections }) => ejections)).toEqual([0, 0, 0]);
});

test('a paused replica answers nothing older than allowed; if all are paused, the primary answers', async () => {
  onTestFinished(async () => {
    for (const replica of [one, two]) await resume(replica);
  });
  const instance = await serveFrom(set, { CLIENTELE_MAX_LAG_SECONDS: '3' });
  await pause(one);
  const writing = setInterval(() => void touch(), 500);
  onTestFinished(() => clearInterval(writing));
  const load = await underLoad(instance, async () => {
    await until(() => nodeOf(instance, one).age > 3_000, 6_000);
    instance.shares();
    await sleep(1_000);
    const { [primary.name]: some, [one.name]: none, [two.name]: rest } = instance.shares();
    expect([some, none]).toEqual([0, 0]);
    expect(rest).toBeGreaterThan(0);

    await pause(two);
    await until(() => nodeOf(instance, two).age > 3_000, 6_000);
    instance.shares();
    await sleep(1_000);
    const shares = instance.shares();
    expect([shares[one.name], shares[two.name]]).toEqual([0, 0]);
    expect(shares[primary.name]).toBeGreaterThan(0);

    for (const replica of [one, two]) await resume(replica);
    await until(() => [one, two].every((each) => nodeOf(instance, each).age < 2_000), 5_000);
  });
  expect(load.failed).toEqual([]);
  expect(load.dated, 'answers between two and three seconds old say so').toBeGreaterThan(0);
  // Nothing was ejected: a replica that lags responds.
  expect(instance.nodes.all.map(({ ejections }) => ejections)).toEqual([0, 0, 0]);
});

test('a response that took long does not claim what was written meanwhile', async () => {
  onTestFinished(async () => {
    for (const replica of [one, two]) await resume(replica);
  });
  const instance = await serveFrom(set, { CLIENTELE_MAX_LAG_SECONDS: '3600' });
  for (const replica of [one, two]) await pause(replica);
  await touch();
  const written = Date.now();
  const replicas = [one, two].map((replica) => nodeOf(instance, replica));
  await until(() => replicas.every(({ age }) => age > 2_000), 30_000);
  const held = await Promise.all(replicas.map((node) => holdCounts({ all: [node] })));
  const response = instance.app.inject('/v3/customers?search=an');
  const waiting = (): number =>
    replicas.reduce((sum, { database }) => sum + database.searches.slots.waiting, 0);
  await until(() => waiting() > 0, 30_000);
  await sleep(500);
  for (const counts of held) counts.release();
  const { statusCode, headers } = await response;
  expect(statusCode).toBe(200);
  const asOf = Date.parse(String(headers['clientele-data-as-of']));
  expect(asOf, 'everything until then is included').toBeLessThan(written);
});

describe('what a standby reads of the log with every page', () => {
  const pending = `select count(*)::int as n from clientele.changes_horizon as h
    join clientele.changes as c on c.xid >= pg_snapshot_xmax(h.published)`;
  const write = (times: number): Promise<unknown> =>
    primary.query(`do $$ begin
      for i in 1..${times} loop
        insert into customers (full_name, email_address) values ('Ada ' || i, i || '@mail.example');
        commit;
      end loop;
    end $$`);

  test('ends with the last snapshot that was published, which a listening instance has done every second', async () => {
    const { app } = await serveFrom(set);
    await app.listen({ host: '127.0.0.1', port: 0 });
    await write(50);
    const left = () => primary.query<{ n: number }>(pending).then(([row]) => row!.n);
    await expect.poll(left, { timeout: 300_000 }).toBe(0);
  });

  test('hardly slows it, if there were thousands of small transactions since', async () => {
    const trimming = await primary.connect();
    onTestFinished(() => trimming.end());
    await trimming.query(`begin;
      select pg_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0))`);
    await write(5_000);
    for (const replica of [one, two]) await caughtUp(replica.url, primary.url);
    const { app } = await serveFrom(set);
    const times: number[] = [];
    for (let page = 1; page <= 40; page += 1) {
      const before = performance.now();
      expect((await app.inject(`/v3/customers?page=${page}`)).statusCode).toBe(200);
      times.push(performance.now() - before);
    }
    // Comparing each entry with each transaction took 80 ms or more.
    expect(Math.min(...times)).toBeLessThan(promised(50));
  });
});

test('an idle primary makes no replica old', async () => {
  const instance = await serveFrom(set, { CLIENTELE_MAX_LAG_SECONDS: '2' });
  const start = performance.now();
  await sleep(5_000);
  const load = await underLoad(instance, () => sleep(1_000));
  expect(load).toMatchObject({ failed: [], dated: 0 });
  expect(readsOfPrimary(instance, start)).toBe(0);
});

test('keys and sessions are those of the primary, however far the replicas are behind', async () => {
  onTestFinished(async () => {
    for (const replica of [one, two]) await resume(replica);
  });
  const instance = await serveFrom(set, { CLIENTELE_AUTH: 'key' });
  for (const replica of [one, two]) await pause(replica);
  const made = makeAccessKey();
  const owner = await primary.connect();
  await insertKey(owner, made, 'test', scopes, { recordsPerDay: 1_000 });
  const list = (headers: Record<string, string>) =>
    instance.app.inject({ url: '/v3/customers', headers });
  const byKey = { authorization: `Bearer ${made.key}` };
  expect((await list(byKey)).statusCode).toBe(200);
  const shown = await owner.query('select from clientele.records_shown where records > 0');
  expect(shown.rowCount, 'counted on the primary').toBe(1);

  const signIn = await instance.app.inject({
    method: 'POST',
    url: '/session',
    payload: { key: made.key },
  });
  expect(signIn.statusCode).toBe(200);
  const cookie = String(signIn.headers['set-cookie']).split(';')[0]!;
  expect((await list({ cookie })).statusCode).toBe(200);
  const signOut = await instance.app.inject({
    method: 'DELETE',
    url: '/session',
    headers: { cookie },
  });
  expect(signOut.statusCode).toBe(204);
  expect((await list({ cookie })).statusCode, 'refused at once').toBe(401);

  await revokeKey(owner, made.id);
  await owner.end();
  await until(async () => (await list(byKey)).statusCode === 401, 15_000);
});

test('commands find the primary, whatever its position in the URL, and say so if there is none', async () => {
  const { username, password } = new URL(primary.url);
  const named = (nodes: TestNode[]) =>
    `postgres://${username}:${password}@${nodes.map(({ name }) => name).join(',')}/clientele`;
  for (const nodes of [set.nodes, set.nodes.toReversed()]) {
    const client = await connectToPrimary(named(nodes), {});
    const { rows } = await client.query<{ standby: boolean }>(
      'select pg_is_in_recovery() as standby',
    );
    await client.end();
    expect(rows).toEqual([{ standby: false }]);
  }
  await expect(connectToPrimary(named([one, two]), {})).rejects.toThrow(
    `No node in DATABASE_URL is a primary: ${one.name} is a replica, ${two.name} is a replica`,
  );
});

const examine = async (url: string): Promise<NodeFinding[]> => {
  const circumstances = {
    migrations: await readMigrations(),
    connections: readConnections({}),
    longTransaction: 300,
    now: Date.now,
  };
  const found: NodeFinding[] = [];
  for await (const finding of examineNodes(url, circumstances)) found.push(finding);
  return found;
};
const about = (found: NodeFinding[]) => found.filter(({ check }) => check === 'nodes');

test('the doctor examines every node, and whether they belong together', async () => {
  const findings = await examine(set.url);
  for (const { name } of set.nodes) {
    expect(findings).toContainEqual(expect.objectContaining({ node: name, check: 'replication' }));
  }
  expect(findings.filter(({ check }) => check === 'migrations')).toMatchObject([
    { node: primary.name },
  ]);
  expect(about(findings)).toMatchObject([
    { state: 'ok', found: expect.stringContaining(`The primary is ${primary.name}`) },
  ]);

  const missing = new URL(one.url);
  missing.port = '1';
  const withMissing = set.url.replace(one.name, missing.host);
  expect(about(await examine(withMissing))[0]).toMatchObject({
    state: 'must-fix',
    node: missing.host,
    found: 'The node does not respond.',
  });
});

test('the doctor leaves no connection open to nodes that it cannot examine', async () => {
  const unmigrated = set.url.replace(/[/]clientele$/, '/postgres');
  expect(unmigrated).not.toBe(set.url);
  await expect(examine(unmigrated)).rejects.toMatchObject({ code: '42P01' });
  const left = `select from pg_stat_activity where application_name = 'clientele doctor'`;
  await until(async () => (await primary.query(left)).length === 0, 5_000);
});

test('a primary that refuses the login is not reported as down, and nobody is told to promote a replica', async () => {
  await using login = await createLoginRole(primary, 'in role clientele_reader');
  const { username, password } = new URL(login.url);
  const url = `postgres://${username}:${password}@${set.nodes.map(({ name }) => name).join(',')}/clientele`;
  for (const replica of [one, two]) await caughtUp(replica.url, primary.url);
  await Promise.all([one, two].map(pause));
  onTestFinished(async () => void (await Promise.all([one, two].map(resume))));
  for (const [change, refusal] of [
    [`password 'another'`, /password authentication failed/],
    [`password '${password}' connection limit 0`, /too many connections for role/],
  ] as const) {
    await primary.query(`alter role ${login.name} ${change}`);
    const found = about(await examine(url));
    expect(found).toMatchObject([
      { state: 'must-fix', node: primary.name, found: expect.stringMatching(refusal) },
      { state: 'must-fix', found: expect.stringContaining(primary.name) },
    ]);
    expect(JSON.stringify(found)).not.toMatch(/does not respond|"Promote a replica/);
    await expect(connectToPrimary(url, {})).rejects.toThrow(refusal);
  }
});

test('metrics name each node and contain no secret', async () => {
  const { app } = await serveFrom(set);
  const { body } = await app.inject('/metrics');
  expect(body).toContain(`clientele_node_primary{node="${primary.name}"} 1`);
  expect(body).toContain(`clientele_node_up{node="${one.name}"} 1`);
  expect(body).toContain(`clientele_node_lag_seconds{node="${two.name}"} `);
  expect(body).not.toContain(new URL(primary.url).password);
});
