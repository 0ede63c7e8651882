/** Connections that reach different servers: a TCP balancer in front of a primary and its standby. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  caughtUp,
  insertRandomCustomers,
  openBalancer,
  patient,
  Random,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '@clientele/sandbox/testing';
import { buildApp, readConfig } from '@clientele/server';
import { promised } from '@clientele/sandbox/testing/machine';
import { momentStatement } from '../src/maps/state/search-state.ts';
import { DatabaseMismatchError, Nodes } from '@clientele/directory';
import { connectTo, postgresUnderTest, serveList, type ServedList } from './setup/served-list.ts';

const customers = 300;
let cluster: ReplicatedPostgres;
beforeAll(async () => {
  cluster = await startReplicatedPostgres(await postgresUnderTest());
  const owner = await connectTo(cluster.primaryUrl);
  await insertRandomCustomers(owner, new Random(1), customers);
  await owner.end();
  await caughtUp(cluster.replicaUrl, cluster.primaryUrl);
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

async function balance(choose: (n: number, startup: string) => string): Promise<string> {
  const balancer = await openBalancer(cluster.primaryUrl, choose);
  onTestFinished(() => balancer[Symbol.asyncDispose]());
  return balancer.url;
}

const pagesFromReplica = () =>
  balance((_, startup) =>
    startup.includes('clientele lists') ? cluster.replicaUrl : cluster.primaryUrl,
  );

function serve(url: string): ServedList {
  const served = serveList(url);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

test('a list that is counted on one server and read from another fails fast, and says why', async () => {
  const url = await pagesFromReplica();
  const config = readConfig({ DATABASE_URL: url, CLIENTELE_AUTH: 'none' }, patient);
  const nodes = new Nodes(config);
  onTestFinished(() => nodes.close());
  const readiness = { checked: true, draining: false };
  const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
  onTestFinished(() => app.close());
  for (const search of ['', 'anna', 'smith gmail', '555 01', 'a']) {
    const before = performance.now();
    const response = await app.inject({ url: '/v3/customers', query: { search } });
    expect(performance.now() - before).toBeLessThan(promised(1_000));
    expect(response.statusCode, response.body).toBe(503);
    expect(response.json()).toMatchObject({ code: 'database-mismatch' });
    expect((await app.inject('/readyz')).statusCode).toBe(503);
  }

  const owner = await connectTo(cluster.primaryUrl);
  const { rows } = await owner.query<{ uuid: string }>('select uuid from customers limit 5');
  await owner.end();
  for (const { uuid } of rows) {
    const response = await app.inject(`/v3/customers/${uuid}`);
    expect(response.statusCode, response.body).toBe(200);
    const found = await app.inject({ url: '/v3/customers', query: { search: uuid } });
    expect(found.json()).toMatchObject({ pagination: { total: 1 } });
  }
});

test('behind a round-robin balancer every list is exact or refused, and never slow', async () => {
  const reached = new Set<string>();
  const url = await balance((n) => {
    const server = n % 2 === 0 ? cluster.primaryUrl : cluster.replicaUrl;
    reached.add(server);
    return server;
  });
  const request = async (served: ServedList, page: number): Promise<void> => {
    const before = performance.now();
    const found = await served.page('', page, 10).catch((error: unknown) => error);
    expect(performance.now() - before).toBeLessThan(promised(2_000));
    if (found instanceof DatabaseMismatchError) return;
    expect(found).toMatchObject({ data: { length: 10 }, pagination: { total: customers } });
  };
  for (let instance = 0; instance < 5; instance += 1) {
    const served = serve(url);
    for (let page = 1; page <= 20; page += 2) {
      await Promise.all([request(served, page), request(served, page + 1)]);
    }
  }
  expect(reached.size, 'how many servers the connections reached').toBe(2);
});

test('a list works again as soon as its connections reach one server', async () => {
  let split = true;
  const url = await balance((_, startup) =>
    split && startup.includes('clientele lists') ? cluster.replicaUrl : cluster.primaryUrl,
  );
  const served = serve(url);
  await expect(served.total()).rejects.toThrow(DatabaseMismatchError);
  split = false;
  const replica = await connectTo(cluster.replicaUrl);
  await replica.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'clientele lists'`,
  );
  await replica.end();
  expect(await served.total()).toBe(customers);
});

test('on a replica, a search does not read the whole log', async () => {
  const owner = await connectTo(cluster.primaryUrl);
  onTestFinished(() => owner.end());
  // Of transactions before the published snapshot, and one after it.
  await owner.query(`insert into clientele.changes (xid, new_place, new_text)
    select (3 + i % 400)::text::xid8, 0, '' from generate_series(1, 20000) as i`);
  await owner.query('select clientele.trim_changes(500000)');
  await insertRandomCustomers(owner, new Random(2), 1);
  await caughtUp(cluster.replicaUrl, cluster.primaryUrl);

  const { database } = serve(cluster.replicaUrl);
  const { name, text } = momentStatement.full;
  const explained = { name: `explain-${name}`, text: `explain (analyze, format json) ${text}` };
  const [row] = await database.lists.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explained, []);
  expect(rowsRead(row!['QUERY PLAN'][0].Plan)).toBeLessThan(1_000);
});

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

function rowsRead({
  'Actual Rows': rows,
  'Actual Loops': loops,
  'Rows Removed by Filter': removed = 0,
  Plans: plans = [],
}: Plan): number {
  return plans.reduce((sum, plan) => sum + rowsRead(plan), loops * (rows + removed));
}
