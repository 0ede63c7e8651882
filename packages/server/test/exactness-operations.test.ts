/**
 * The promise of exactness.test.ts through what needs a cluster of its own: restarts, restores, a logical
 * subscription, a failover. `EXACTNESS_CHECKS=20000 pnpm vitest run exactness` runs longer.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { wireFields } from '@clientele/contract/customer-fields';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { migrate, readMigrations } from '@clientele/directory';
import {
  databaseUrl,
  freePort,
  startPrivatePostgres,
  type PrivatePostgres,
  type StopMode,
} from '@clientele/sandbox';
import { checkExactness } from './setup/exactness.ts';
import {
  insertRandomCustomers,
  openBalancer,
  Random,
  startReplicatedPostgres,
} from '@clientele/sandbox/testing';
import { RandomWriters } from './setup/random-writers.ts';
import {
  connectTo,
  differencesAtRest,
  postgresUnderTest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

const run = promisify(execFile);
/** For each of about ten parts, which also take their time to restart. */
const checks = Math.ceil(Number(process.env['EXACTNESS_CHECKS'] ?? 1_000) / 20);
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const customers = 300;
const mapBytes = 10_000_000;
const timeout = 600_000 + checks * 600;
const postgres = await postgresUnderTest();
const manyConnections = { lists: 12, searches: 6, scans: 6 };

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Tables, functions and rights are missing in the middle of a restore. */
const duringRestore = /^(42|3F|XX)/;

function check(
  lists: ServedList[],
  writers: Pick<RandomWriters, 'stop'>,
  refusedCodes = /^42P01$/,
) {
  return checkExactness(
    {
      refusedCodes,
      databases: lists.map(({ database }) => database),
      lists: lists.map(({ list }) => list),
      ...{ checks, seed, readers: 2, mapBytes },
    },
    writers,
  );
}

/** Prepared transactions, for instance, keep the initial copy from starting. */
async function whyNotReplicated(subscriber: pg.Client): Promise<string> {
  const { rows } = await subscriber.query(
    `select (select json_agg(s) from pg_stat_subscription as s) as workers,
            (select json_agg(r) from pg_subscription_rel as r) as tables,
            (select json_agg(p) from pg_prepared_xacts as p) as prepared`,
  );
  return `The subscriber differs from the publisher: ${JSON.stringify(rows[0])}`;
}

function report(what: string, ...results: object[]): void {
  process.stdout.write(`${JSON.stringify({ what, seed, results })}\n`);
}

describe('in a cluster', () => {
  let home: string;
  let port: number;
  let cluster: PrivatePostgres;
  let url: string;
  let lists: ServedList[];

  const start = async (): Promise<void> => {
    cluster = await startPrivatePostgres({
      ...{ postgres, dataDir: join(home, 'data'), port },
      settings: { wal_level: 'logical', max_prepared_transactions: 20, fsync: false },
    });
    url = databaseUrl(cluster.url, 'clientele');
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'clientele-operations-'));
    // When root starts it, the server runs under another account.
    await chmod(home, 0o711);
    port = await freePort();
    await start();
    await createDirectory('clientele');
    lists = [serveList(url, manyConnections), serveList(url, manyConnections)];
  });
  afterAll(async () => {
    for (const list of lists ?? []) await list[Symbol.asyncDispose]();
    await cluster?.stop('immediate');
    await rm(home, { recursive: true, force: true });
  });

  async function createDirectory(name: string): Promise<void> {
    const admin = await connectTo(cluster.url);
    await admin.query(
      `create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    );
    await admin.end();
    const owner = await connectTo(databaseUrl(cluster.url, name));
    await migrate(owner, await readMigrations());
    await insertRandomCustomers(owner, new Random(seed), customers);
    await owner.query('analyze customers');
    await owner.end();
  }

  const writersOf = (target: () => string) =>
    new RandomWriters({ connect: () => connect(target()), seed, writers: 3, customers });

  /** A smart shutdown waits for everybody to leave. Resolves when it accepts nobody and nobody is left. */
  async function disconnectEverybody(admin: pg.Client): Promise<void> {
    for (let isClosed = false, others = 1; !isClosed || others > 0; await sleep(20)) {
      isClosed ||= await connect(cluster.url).then(
        (client) => client.end().then(() => false),
        () => true,
      );
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      others = rowCount ?? 0;
    }
  }

  async function restart(mode: StopMode): Promise<void> {
    const admin = await connectTo(cluster.url);
    const stopped = cluster.stop(mode);
    if (mode === 'smart') await disconnectEverybody(admin);
    await admin.end().catch(() => undefined);
    // The server may have accepted somebody in the last moment. As an operator does, wait no longer then.
    const impatience = setTimeout(() => process.kill(cluster.pid, 'SIGINT'), 10_000);
    await stopped;
    clearTimeout(impatience);
    await start();
  }

  test.each(['smart', 'fast', 'immediate'] as const)(
    `pages and totals match their snapshot through a restart, %s (seed ${seed})`,
    { timeout },
    async (mode) => {
      const writers = writersOf(() => url);
      await writers.start();
      const restarted = sleep(200).then(() => restart(mode));
      const during = await check(lists, {
        stop: async () => {
          await restarted;
          await writers.stop();
        },
      });
      for (const list of lists) expect(await differencesAtRest(list)).toEqual([]);
      await writers.start();
      const after = await check(lists, writers);
      report(`${mode} restart`, during, after, writers.done);
    },
  );

  test(
    `pages and totals match their snapshot through a restore (seed ${seed})`,
    { timeout },
    async () => {
      const admin = await connectTo(cluster.url);
      const tool = (name: string, ...args: string[]) => run(join(postgres.binDir, name), args);
      const backup = join(home, 'backup');
      const writers = writersOf(() => url);
      const hasTools = existsSync(join(postgres.binDir, 'pg_restore'));
      const disconnect = () =>
        admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname like 'clientele%'`,
        );
      if (hasTools) await tool('pg_dump', '-Fc', '-f', backup, url);
      else {
        await admin.query('alter database clientele allow_connections false');
        await disconnect();
        await admin.query('create database clientele_backup template clientele');
        await admin.query('alter database clientele allow_connections true');
      }
      await writers.start();
      const before = await check(lists, writers);
      const reading = check(lists, { stop: async () => undefined }, duringRestore);
      reading.catch(() => undefined);
      if (hasTools) await tool('pg_restore', '--clean', '--if-exists', '-d', url, backup);
      else {
        await admin.query('drop database clientele with (force)');
        await admin.query('alter database clientele_backup rename to clientele');
      }
      await admin.end();
      const during = await reading;
      for (const list of lists) expect(await differencesAtRest(list)).toEqual([]);
      await writers.start();
      const after = await check(lists, writers);
      report('restore', { hasTools }, before, during, after);
    },
  );

  test(
    `pages and totals match their snapshot during logical replication (seed ${seed})`,
    { timeout },
    async () => {
      await createDirectory('source');
      const publisher = await connectTo(databaseUrl(cluster.url, 'source'));
      const subscriber = await connectTo(url);
      await subscriber.query('truncate customers');
      await publisher.query('create publication customers for table public.customers');
      await publisher.query(`select pg_create_logical_replication_slot('customers', 'pgoutput')`);
      const { password, user } = publisher;
      await subscriber.query(
        `create subscription customers
       connection 'host=127.0.0.1 port=${port} user=${user} password=${password} dbname=source'
       publication customers with (create_slot = false)`,
      );
      onTestFinished(async () => {
        await subscriber.query('drop subscription customers');
        await subscriber.end();
        await publisher.end();
      });
      const writers = writersOf(() => databaseUrl(cluster.url, 'source'));
      await writers.start();
      const trimming = new AbortController();
      const operator = (async () => {
        const random = new Random(seed);
        for (; !trimming.signal.aborted; await sleep(random.below(100))) {
          await subscriber.query('select clientele.trim_changes($1, $2)', [random.below(200), 50]);
        }
      })();
      operator.catch(() => undefined);
      const result = await check(lists, {
        stop: async () => {
          trimming.abort();
          await operator;
          await writers.stop();
        },
      });
      // Of everything: some writes change neither the customers nor what they are found by.
      const digest = `select md5(string_agg(c::text, '' order by c.uuid)) as digest
      from (select ${wireFields.join(', ')} from customers) as c`;
      const same = async () => {
        const [source, target] = [await publisher.query(digest), await subscriber.query(digest)];
        return JSON.stringify(source.rows) === JSON.stringify(target.rows);
      };
      for (let waits = 0; !(await same()); waits += 1) {
        if (waits === 600) throw new Error(await whyNotReplicated(subscriber));
        await sleep(50);
      }
      for (const list of lists) expect(await differencesAtRest(list)).toEqual([]);
      report('subscription', result, writers.done);
    },
  );
});

test(
  `pages and totals match their snapshot through a failover (seed ${seed})`,
  { timeout },
  async () => {
    await using replicated = await startReplicatedPostgres(postgres);
    const { primary, primaryUrl, replicaUrl } = replicated;
    let current = primaryUrl;
    const balancer = await openBalancer(primaryUrl, () => current);
    const lists = [
      serveList(replicaUrl, manyConnections),
      serveList(balancer.url, manyConnections),
    ];
    onTestFinished(async () => {
      for (const list of lists) await list[Symbol.asyncDispose]();
      await balancer[Symbol.asyncDispose]();
    });
    const owner = await connectTo(primaryUrl);
    await insertRandomCustomers(owner, new Random(seed), customers);
    await owner.query('vacuum analyze customers');
    await owner.end();
    const writers = new RandomWriters({
      ...{ connect: () => connect(current), seed, writers: 3, customers },
    });
    await writers.start();
    const failOver = async (): Promise<void> => {
      await sleep(300);
      await primary.stop('immediate');
      const replica = await connectTo(replicaUrl);
      await replica.query('select pg_promote()');
      await replica.end();
      current = replicaUrl;
    };
    const failedOver = failOver();
    const during = await check(lists, {
      stop: async () => {
        await failedOver;
        await writers.stop();
      },
    });
    for (const list of lists) expect(await differencesAtRest(list)).toEqual([]);
    await writers.start();
    const after = await check(lists, writers);
    for (const list of lists) expect(await differencesAtRest(list)).toEqual([]);
    report('failover', during, after, writers.done);
  },
);
