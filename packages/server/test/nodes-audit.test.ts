/** The audit outlives its primary: every answer of a replica is on record at the next primary, once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { verifyAudit } from '@clientele/directory';
import { startNodeSet, type TestNode } from './setup/node-set.ts';
import { caughtUp, insertRandomCustomers, Random } from '@clientele/sandbox/testing';
import { postgresUnderTest } from './setup/served-list.ts';
import { nodeOf, serveFrom, until } from './setup/served-nodes.ts';

test('answers are recorded while the primary is lost, and by the replica that is promoted', async () => {
  const set = await startNodeSet(await postgresUnderTest());
  onTestFinished(() => set[Symbol.asyncDispose]());
  const [primary, one, two] = set.nodes as [TestNode, TestNode, TestNode];
  const owner = await primary.connect();
  await insertRandomCustomers(owner, new Random(1), 200);
  await owner.end();
  for (const replica of [one, two]) await caughtUp(replica.url, primary.url);
  const instance = await serveFrom(set);

  const delivered: string[] = [];
  const failed: string[] = [];
  const stop = new AbortController();
  const read = async (page: number): Promise<void> => {
    while (!stop.signal.aborted) {
      const { statusCode, headers, body } = await instance.app.inject(`/v3/customers?page=${page}`);
      if (statusCode === 200) delivered.push(String(headers['x-request-id']));
      else failed.push(body);
      await sleep(5);
    }
  };
  const readers = [1, 2, 3].map((page) => read(page));
  await sleep(500);
  await primary.kill();
  await until(() => instance.nodes.primary === undefined, 10_000);
  const spooledFrom = delivered.length;
  await sleep(1_000);
  expect(delivered.length, 'answers without a primary').toBeGreaterThan(spooledFrom);
  await one.promote();
  await until(() => instance.nodes.primary === nodeOf(instance, one), 10_000);
  await sleep(500);
  stop.abort();
  await Promise.all(readers);

  expect(failed).toEqual([]);
  const recorded = async (): Promise<{ id: string; count: number }[]> =>
    one.query(
      'select request_id as id, count(*)::int as count from clientele.audit_entries group by 1',
    );
  await until(async () => (await recorded()).length >= delivered.length, 20_000);
  const counts = new Map((await recorded()).map(({ id, count }) => [id, count]));
  expect(delivered.filter((id) => counts.get(id) !== 1)).toEqual([]);
  const client = await one.connect();
  expect((await verifyAudit(client, {})).problems).toEqual([]);
  await client.end();
});
