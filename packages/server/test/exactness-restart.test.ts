/** Counts outlive the database server: warmed searches read no table after a restart or a crash. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  insertRandomCustomers,
  patient,
  queriesAtRest,
  Random,
  sampleSearches,
} from '@clientele/sandbox/testing';
import {
  databaseUrl,
  freePort,
  startPrivatePostgres,
  type PrivatePostgres,
} from '@clientele/sandbox';
import { PageMaps } from '../src/maps/page-maps.ts';
import { keepMapsReady } from '../src/maps/upkeep.ts';
import {
  everyone,
  migrate,
  openDatabase,
  readMigrations,
  SearchReader,
} from '@clientele/directory';
import {
  connectTo,
  differencesAtRest,
  postgresUnderTest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

const postgres = await postgresUnderTest();
let home: string;
let port: number;
let cluster: PrivatePostgres;
let url: string;

async function start(): Promise<void> {
  cluster = await startPrivatePostgres({
    ...{ postgres, dataDir: join(home, 'data'), port },
    settings: { max_prepared_transactions: 5, fsync: false, autovacuum: false },
  });
  url = databaseUrl(cluster.url, 'clientele');
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'clientele-restart-'));
  // When root starts it, the server runs under another account.
  await chmod(home, 0o711);
  port = await freePort();
  await start();
  const admin = await connectTo(cluster.url);
  await admin.query(
    `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`,
  );
  await admin.end();
  const owner = await connectTo(url);
  await migrate(owner, await readMigrations());
  await insertRandomCustomers(owner, new Random(1), 500);
  await owner.query('vacuum analyze customers');
  await owner.end();
});
afterAll(async () => {
  await cluster?.stop('immediate');
  await rm(home, { recursive: true, force: true });
});

/** How the server ends, and how it is there again. */
const endings: Record<string, () => Promise<void>> = {
  'a fast restart': async () => {
    await cluster.stop('fast');
    await start();
  },
  'a killed postmaster': async () => {
    const { pid } = cluster;
    process.kill(pid, 'SIGKILL');
    await cluster.stop('immediate').catch(() => undefined);
    await vi.waitFor(start, { timeout: 300_000, interval: 100 });
  },
  'a killed backend': async () => {
    const [victim, bystander] = [await connectTo(url), await connectTo(url)];
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
    const noticed = new Promise<void>((resolve) => bystander.on('end', () => resolve()));
    process.kill(rows[0]!.pid, 'SIGKILL');
    await noticed;
  },
};

function serve(): ServedList {
  const served = serveList(url);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

/** Watches the statements that count, and returns a function that names them. */
function watchCounts({ database }: ServedList): () => string[] {
  const scans = vi.spyOn(database.scans, 'snapshot');
  const searches = vi.spyOn(database.searches, 'query');
  return () => [
    ...scans.mock.calls.map(() => 'scan'),
    ...searches.mock.calls.map(([{ name }]) => name).filter((name) => name.startsWith('places')),
  ];
}

async function warm(served: ServedList): Promise<void> {
  for (const query of sampleSearches.flatMap(queriesAtRest)) {
    await served.list.page(query, AbortSignal.timeout(300_000));
  }
}

test.each(Object.keys(endings))('warmed searches are not counted again after %s', async (how) => {
  const served = serve();
  await warm(served);
  const owner = await connectTo(url);
  // Since the count, and more than are read again by each request.
  await insertRandomCustomers(owner, new Random(2), 40);
  await served.page('', 1);
  await insertRandomCustomers(owner, new Random(3), 80);
  await served.page('smith', 1);
  await owner.query('delete from customers where uuid in (select uuid from customers limit 7)');
  // Two that never commit, the one because of the end of the server.
  await owner.query('begin');
  await insertRandomCustomers(owner, new Random(4), 3);
  const prepared = await connectTo(url);
  await prepared.query('begin');
  await insertRandomCustomers(prepared, new Random(5), 3);
  await prepared.query(`prepare transaction 'held'`);

  const counted = watchCounts(served);
  await endings[how]!();
  await (await connectTo(url)).end();
  // Its connections have ended as well, which is noticed once.
  await served.total().catch(() => undefined);
  await warm(served);
  expect(await differencesAtRest(served)).toEqual([]);
  const after = await connectTo(url);
  await after.query(`commit prepared 'held'`);
  await insertRandomCustomers(after, new Random(6), 5);
  await after.end();
  expect(await differencesAtRest(served)).toEqual([]);
  expect(counted()).toEqual([]);
});

test('the table is read by a count, and not after a restart', async () => {
  const scans = async (): Promise<number> => {
    const owner = await connectTo(url);
    const { rows } = await owner.query<{ n: string }>(
      `select seq_scan as n from pg_stat_user_tables where relname = 'customers'`,
    );
    await owner.end();
    return Number(rows[0]!.n);
  };
  const before = await scans();
  const served = serveList(url);
  await warm(served);
  await endings['a fast restart']!();
  const counted = await scans();
  expect(counted, 'the count read the table').toBeGreaterThan(before);
  await served.total().catch(() => undefined);
  await warm(served);
  // Statistics are written at the end of a session.
  await served[Symbol.asyncDispose]();
  expect(await scans()).toBe(counted);
});

test('upkeep prepares maps for a restart after the log was emptied', async () => {
  const database = openDatabase({
    url,
    connections: { lookups: 1, lists: 2, searches: 1, scans: 1 },
    timeouts: patient,
  });
  onTestFinished(() => database.close());
  const maps = new PageMaps(database, 10_000_000);
  const signal = AbortSignal.timeout(300_000);
  const total = async () =>
    (await maps.findPage(everyone.full, { offset: 0, limit: 1 }, signal)).total;
  const owner = await connectTo(url);
  await insertRandomCustomers(owner, new Random(7), 5);
  const before = await total();
  const nonce = () => maps.cache.peek(everyone.full)?.portable?.witness.nonce;
  const counted = nonce();
  await owner.query('select clientele.trim_changes(0)');
  await owner.end();
  const stop = new AbortController();
  const searches = new SearchReader(database.searches);
  const keeping = keepMapsReady(maps, {
    warmUp: false,
    searches,
    everyMs: 20,
    signal: stop.signal,
  });
  await vi.waitFor(() => expect(nonce()).not.toBe(counted), 300_000);
  stop.abort();
  await keeping;
  await endings['a fast restart']!();
  await total().catch(() => undefined);
  expect(await total()).toBe(before);
  expect(maps.cache.made).toEqual({ counted: 1, adopted: 1 });
});
