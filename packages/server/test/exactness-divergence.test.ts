/**
 * Histories that part: a failover and a crash lose the last commits, and their transaction ids are assigned
 * again. What was counted in the lost part is refused, and everything else is used.
 * `EXACTNESS_CHECKS=20000 pnpm vitest run exactness-divergence` repeats each five times.
 */
import type pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  caughtUp,
  createDirectory,
  insertRandomCustomers,
  patient,
  Random,
  sampleSearches,
  startReplica,
} from '@clientele/sandbox/testing';
import { startPrivatePostgres } from '@clientele/sandbox';
import { type Database, openDatabase } from '@clientele/directory';
import { connectTo, countCustomers, postgresUnderTest } from './setup/served-list.ts';
import { TravellingStates } from './setup/travelling-states.ts';

const rounds = Number(process.env['EXACTNESS_CHECKS'] ?? 0) >= 20_000 ? 5 : 1;
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const searches = sampleSearches.slice(0, 6);
const connections = { lookups: 1, lists: 2, searches: 2, scans: 2 };

function open(url: string): Database {
  const database = openDatabase({ url, connections, timeouts: patient });
  onTestFinished(() => database.close());
  return database;
}

async function count(states: TravellingStates, database: Database): Promise<void> {
  for (const search of searches) await states.count(database, search);
}

/** Several transactions, each with changes of its own. */
async function write(client: pg.Client, random: Random, transactions: number): Promise<void> {
  for (let i = 0; i < transactions; i += 1) {
    await insertRandomCustomers(client, random, 1 + random.below(3));
    if (random.chance(0.3)) {
      await client.query(
        `delete from customers where uuid = (select min(uuid::text)::uuid from customers)`,
      );
    }
  }
}

/** Checks before, while and after the lost ids are assigned again. */
async function writeAndCheck(states: TravellingStates, url: string, random: Random): Promise<void> {
  const [owner, database] = [await connectTo(url), open(url)];
  for (let i = 0; i < 8; i += 1) {
    await states.checkAll(database);
    await write(owner, random, 1);
  }
  await owner.end();
}

function expectExact({ travels }: TravellingStates): void {
  process.stdout.write(`${JSON.stringify({ seed, ...travels })}\n`);
  const { wrong, wrongWithoutWitness, adopted, reasons } = travels;
  expect(wrong).toBe(0);
  expect(
    wrongWithoutWitness,
    'some would be wrong if their witness were not asked for',
  ).toBeGreaterThan(0);
  expect(Object.keys(reasons), 'every state whose witness is visible is used').toEqual([
    'the witness is missing',
  ]);
  expect(adopted).toBeGreaterThanOrEqual(8 * searches.length);
}

const times = Array.from({ length: rounds }, (_, i) => seed + i);

test.each(times)('a failover that loses commits: nothing lost is used (seed %i)', async (round) => {
  const postgres = await postgresUnderTest();
  const random = new Random(round);
  const primary = await startPrivatePostgres({
    postgres,
    settings: { wal_keep_size: '1GB', max_prepared_transactions: 20 },
  });
  onTestFinished(() => primary.stop());
  const url = await createDirectory(primary);
  await using replica = await startReplica(postgres, primary);
  const [owner, standby] = [await connectTo(url), await connectTo(replica.url)];
  await write(owner, random, 20);
  await caughtUp(replica.url, url);
  const states = new TravellingStates(random, 1_000);
  const database = open(url);
  await count(states, database);

  await standby.query(`alter system set primary_conninfo = ''`);
  await standby.query('select pg_reload_conf()');
  await vi.waitFor(async () => {
    const { rows } = await standby.query('select from pg_stat_wal_receiver');
    expect(rows).toHaveLength(0);
  }, 300_000);
  for (let i = 0; i < 4; i += 1) {
    await write(owner, random, 1);
    await count(states, database);
  }
  await owner.end();
  await primary.stop();
  await standby.query('select pg_promote()');
  await standby.end();
  await writeAndCheck(states, replica.url, random);
  expectExact(states);
});

test.each(times)('a crash that loses commits: nothing lost is used (seed %i)', async (round) => {
  const random = new Random(round);
  // Commits are visible before they are flushed.
  const cluster = await startPrivatePostgres({
    postgres: await postgresUnderTest(),
    settings: { synchronous_commit: false, wal_writer_delay: '10s', autovacuum: false },
  });
  onTestFinished(() => cluster.stop());
  const url = await createDirectory(cluster);
  const [owner, bystander] = [await connectTo(url), await connectTo(url)];
  await write(owner, random, 20);
  const states = new TravellingStates(random, 1_000);
  const database = open(url);
  await count(states, database);
  // Makes PostgreSQL write the WAL so far; the next time is ten seconds later.
  await owner.query('checkpoint');
  for (let i = 0; i < 4; i += 1) {
    await insertRandomCustomers(owner, random, 2);
    await states.count(database, '');
  }
  const visible = await countCustomers(owner);
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
  // PostgreSQL has noticed the crash once it closes the other connections.
  const noticed = new Promise<void>((resolve) => bystander.on('end', () => resolve()));
  process.kill(rows[0]!.pid, 'SIGKILL');
  await noticed;
  const after = await connectTo(url);
  expect(await countCustomers(after), 'the crash undid commits').toBeLessThan(visible);
  await after.end();
  await writeAndCheck(states, url, random);
  expectExact(states);
});
