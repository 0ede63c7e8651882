import { expect, onTestFinished, test } from 'vitest';
import { insertRandomCustomers, patient, Random } from '@clientele/sandbox/testing';
import { startPrivatePostgres } from '@clientele/sandbox';
import { CustomerList } from '../src/customers/list.ts';
import { migrate, openDatabase, readMigrations } from '@clientele/directory';
import { connectTo, countCustomers, postgresUnderTest } from './setup/served-list.ts';

/** With synchronous_commit off, a crash can undo visible commits, and their ids are assigned again. */
test('commits that a crash of PostgreSQL undoes are not counted', async () => {
  const { url, close } = await startWithoutSyncCommit();
  onTestFinished(close);
  const owner = await connectTo(url);
  await migrate(owner, await readMigrations());
  await insertRandomCustomers(owner, new Random(1), 10);
  await owner.query('checkpoint');

  const connections = { lookups: 1, lists: 2, searches: 2, scans: 1 };
  const database = openDatabase({ url, connections, timeouts: patient });
  onTestFinished(() => database.close());
  const list = new CustomerList(database, 1_000_000);
  const total = async (): Promise<number> => {
    const query = { search: '', page: 1, perPage: 25 };
    const { body } = await list.page(query, new AbortController().signal);
    return (JSON.parse(body.toString()) as { pagination: { total: number } }).pagination.total;
  };

  // It would bring these commits to the disk sooner or later.
  const { rows } = await owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'walwriter'`,
  );
  process.kill(rows[0]!.pid, 'SIGSTOP');
  await insertRandomCustomers(owner, new Random(2), 5);
  expect(await total()).toBe(15);
  // PostgreSQL has noticed the crash once it closes the other connections.
  const bystander = await connectTo(url);
  const noticed = new Promise<void>((resolve) => bystander.on('end', () => resolve()));
  process.kill(rows[0]!.pid, 'SIGKILL');
  await noticed;

  const after = await connectTo(url);
  expect(await countCustomers(after), 'the crash undid a commit').toBe(10);
  for (let i = 0; i < 20; i += 1) await after.query('select pg_current_xact_id()');
  expect(await total()).toBe(10);
  await insertRandomCustomers(after, new Random(3), 3);
  expect(await total()).toBe(13);
  await after.end();
});

async function startWithoutSyncCommit() {
  const cluster = await startPrivatePostgres({
    postgres: await postgresUnderTest(),
    settings: { synchronous_commit: false, autovacuum: false },
  });
  return { url: cluster.url, close: () => cluster.stop() };
}
