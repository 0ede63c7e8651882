/** The loss of the primary, of every node, and nodes that have left the history of the primary. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@clientele/contract';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { insertKey, makeAccessKey } from '@clientele/directory';
import { promised } from '@clientele/sandbox/testing/machine';
import { caughtUp, insertRandomCustomers, Random } from '@clientele/sandbox/testing';
import { startNodeSet, type NodeSet, type TestNode } from './setup/node-set.ts';
import { postgresUnderTest } from './setup/served-list.ts';
import { nodeOf, serveFrom, serves, underLoad, until } from './setup/served-nodes.ts';

const customers = 200;
let set: NodeSet;
let primary: TestNode;
let one: TestNode;
let two: TestNode;

beforeEach(async () => {
  set = await startNodeSet(await postgresUnderTest());
  onTestFinished(() => set[Symbol.asyncDispose]());
  [primary, one, two] = set.nodes as [TestNode, TestNode, TestNode];
  const owner = await primary.connect();
  await insertRandomCustomers(owner, new Random(1), customers);
  await owner.end();
  await caughtUp(one.url, primary.url);
  await caughtUp(two.url, primary.url);
});

/** Each in a transaction of its own. */
async function insert(node: TestNode, count: number): Promise<void> {
  const client = await node.connect();
  for (let i = 0; i < count; i += 1) {
    await client.query(
      `insert into customers (full_name, email_address, phone_number, company_name)
       values ('Later', 'later@example.com', '', '')`,
    );
  }
  await client.end();
}

test('a killed primary fails no read; the promoted replica is found and takes keys and sign-outs', async () => {
  const instance = await serveFrom(set, { CLIENTELE_AUTH: 'key', CLIENTELE_CONCURRENCY: '0' });
  const made = makeAccessKey();
  const owner = await primary.connect();
  // Its records are counted on the primary, and that must not make a read fail either.
  await insertKey(owner, made, 'test', scopes, { recordsPerDay: 1_000_000_000 });
  await owner.end();
  const authorization = `Bearer ${made.key}`;
  let found = 0;
  const load = await underLoad(
    instance,
    async () => {
      await sleep(500);
      await primary.kill();
      await until(() => instance.nodes.primary === undefined, 5_000);
      // Long enough for answers to say how old they may be.
      await sleep(2_500);
      await one.promote();
      found = await until(() => instance.nodes.primary === nodeOf(instance, one), 5_000);
      await two.follow(one);
      await insert(one, 1);
      await caughtUp(two.url, one.url);
      await until(() => nodeOf(instance, two).age < 2_000, 10_000);
    },
    { authorization },
  );
  expect(load.failed).toEqual([]);
  expect(load.longestMs).toBeLessThan(promised(5_000));
  expect(load.dated).toBeGreaterThan(0);
  expect(found).toBeLessThan(promised(2_000));

  const payload = { key: made.key };
  const signIn = await instance.app.inject({ method: 'POST', url: '/session', payload });
  const cookie = String(signIn.headers['set-cookie']).split(';')[0]!;
  const headers = { cookie };
  const out = await instance.app.inject({ method: 'DELETE', url: '/session', headers });
  expect(out.statusCode).toBe(204);
  const { statusCode } = await instance.app.inject({ url: '/session', headers });
  expect(statusCode).toBe(401);
});

test('a frozen primary that wakes up after another one was promoted answers nothing', async () => {
  const instance = await serveFrom(set, { CLIENTELE_READ_FROM: 'all' });
  const old = nodeOf(instance, primary);
  const load = await underLoad(instance, async () => {
    await primary.freeze();
    await until(() => old.ejected, 5_000);
    await one.promote();
    await two.follow(one);
    await until(() => instance.nodes.primary === nodeOf(instance, one), 5_000);
    await insert(one, 1);
    await caughtUp(two.url, one.url);
    await primary.thaw();
    await until(() => old.responds, 12_000);
    expect(old.history).toBe('foreign');
    instance.shares();
    await sleep(2_000);
  });
  expect(load.failed).toEqual([]);
  expect(load.longestMs).toBeLessThan(promised(5_000));
  expect(instance.shares()[primary.name]).toBe(0);
  expect(instance.nodes.primary).toBe(nodeOf(instance, one));
});

test('a standby with data that the primary does not have answers nothing', async () => {
  // It was promoted by mistake, was written to, and is a standby again.
  await two.promote();
  await insert(two, 20);
  await two.kill();
  await writeFile(join(two.dataDir, 'standby.signal'), '');
  await two.start();
  const instance = await serveFrom(set);
  const load = await underLoad(instance, () => sleep(2_000));
  expect(nodeOf(instance, two).history).toBe('foreign');
  expect(load.failed).toEqual([]);
  expect([...load.totals]).toEqual([customers]);
  expect(instance.shares()[two.name]).toBe(0);

  // Its position and its transaction ids are behind those of the primary now; what it shows is still wrong.
  await insert(primary, 60);
  await caughtUp(one.url, primary.url);
  const later = await serveFrom(set);
  const again = await underLoad(later, () => sleep(2_000));
  expect(nodeOf(later, two).history).toBe('foreign');
  expect([...again.totals]).toEqual([customers + 60]);
});

test('with every node down, requests fail fast, and work again five seconds after the nodes do', async () => {
  const instance = await serveFrom(set);
  await Promise.all(set.nodes.map((node) => node.kill()));
  await until(() => !instance.nodes.ready, 5_000);
  expect((await instance.app.inject('/readyz')).json()).toMatchObject({
    code: 'database-unavailable',
  });
  const down = await underLoad(instance, () => sleep(3_000));
  expect(down.requests).toBeGreaterThan(0);
  expect(down.served).toBe(0);
  expect(down.failed.filter((failure) => !failure.startsWith('503'))).toEqual([]);
  // Waiting for a connection, or for its timeout, takes longer.
  expect(down.longestMs).toBeLessThan(promised(1_000));

  for (const node of set.nodes) await node.start();
  await until(() => instance.nodes.ready, 5_000);
  await sleep(5_000);
  const up = await underLoad(instance, () => sleep(2_000));
  expect(up.failed).toEqual([]);
  await until(() => instance.nodes.all.every(serves), 10_000);
});
