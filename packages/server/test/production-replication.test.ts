/** Logical replication into customers: the apply worker fires row triggers only. */
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrate, readMigrations } from '@clientele/directory';
import { databaseUrl, startPrivatePostgres, type PrivatePostgres } from '@clientele/sandbox';
import { insertRandomCustomers, Random } from '@clientele/sandbox/testing';
import {
  connectTo,
  differencesAtRest,
  postgresUnderTest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

let cluster: PrivatePostgres;
let publisher: pg.Client;
let subscriber: pg.Client;
let served: ServedList;

beforeAll(async () => {
  cluster = await startPrivatePostgres({
    postgres: await postgresUnderTest(),
    settings: { wal_level: 'logical' },
  });
  const admin = await connectTo(cluster.url);
  const create = async (name: string): Promise<pg.Client> => {
    await admin.query(
      `create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    );
    const client = await connectTo(databaseUrl(cluster.url, name));
    await migrate(client, await readMigrations());
    return client;
  };
  publisher = await create('source');
  subscriber = await create('target');
  await admin.end();
  await insertRandomCustomers(publisher, new Random(1), 60);
  await publisher.query('create publication customers for table public.customers');
  served = serveList(databaseUrl(cluster.url, 'target'));
});
afterAll(async () => {
  await served?.[Symbol.asyncDispose]();
  await publisher?.end();
  await subscriber?.end();
  await cluster?.stop();
});

/** Waits until both tables are the same; returns what differs in the list then. */
async function differencesOnceReplicated(): Promise<unknown[]> {
  const digest = `select coalesce(md5(string_agg(c::text, ' ' order by c.uuid)), '') as digest
    from public.customers as c`;
  await vi.waitFor(async () => {
    const [source, target] = await Promise.all([publisher.query(digest), subscriber.query(digest)]);
    if (!isDeepStrictEqual(source.rows, target.rows)) throw new Error('still replicating');
  }, 300_000);
  return differencesAtRest(served);
}

test('the list includes what the initial copy of a subscription adds', async () => {
  expect(await served.total()).toBe(0);
  // Within one cluster, creating the subscription would wait for itself to create the slot.
  await publisher.query(`select pg_create_logical_replication_slot('customers', 'pgoutput')`);
  const { host, port, user, password } = publisher;
  await subscriber.query(
    `create subscription customers
     connection 'host=${host} port=${port} user=${user} password=${password} dbname=source'
     publication customers with (create_slot = false)`,
  );
  expect(await differencesOnceReplicated()).toEqual([]);
});

test('the list follows replicated inserts, updates, deletes and truncation', async () => {
  await insertRandomCustomers(publisher, new Random(2), 200);
  expect(await differencesOnceReplicated()).toEqual([]);
  await publisher.query(
    `update customers set full_name = 'Annabel Smithson' where email_address like 'a%'`,
  );
  expect(await differencesOnceReplicated()).toEqual([]);
  await publisher.query(
    `update customers set created_at = now() - random() * interval '1 year' where full_name like 'B%'`,
  );
  await publisher.query('update customers set uuid = gen_random_uuid() where is_verified');
  await publisher.query('update customers set total_orders = total_orders + 1');
  expect(await differencesOnceReplicated()).toEqual([]);
  await publisher.query('delete from customers where phone_number is null');
  expect(await differencesOnceReplicated()).toEqual([]);
  await publisher.query('truncate customers');
  expect(await differencesOnceReplicated()).toEqual([]);
  await insertRandomCustomers(publisher, new Random(3), 30);
  expect(await differencesOnceReplicated()).toEqual([]);
});

test('replicated and local writes are logged once each', async () => {
  const logged = async (): Promise<number> => {
    const { rows } = await subscriber.query<{ n: number }>(
      'select count(*)::int as n from clientele.changes',
    );
    return rows[0]!.n;
  };
  const before = await logged();
  await insertRandomCustomers(publisher, new Random(4), 5);
  expect(await differencesOnceReplicated()).toEqual([]);
  expect(await logged()).toBe(before + 5);
  await insertRandomCustomers(subscriber, new Random(5), 7);
  expect(await logged()).toBe(before + 12);
  expect(await differencesAtRest(served)).toEqual([]);
  await subscriber.query('set session_replication_role = replica');
  await insertRandomCustomers(subscriber, new Random(6), 3);
  await subscriber.query(`update customers set full_name = 'Lee Lee' where full_name like 'L%'`);
  await subscriber.query('delete from customers where company_name is not null');
  await subscriber.query('reset session_replication_role');
  expect(await differencesAtRest(served)).toEqual([]);
});

test('a replicated transaction that exceeds the limit of the log has every search counted again', async () => {
  await subscriber.query(`alter database target set clientele.changes_limit = 10`);
  await subscriber.query('truncate customers');
  await publisher.query('truncate customers');
  await subscriber.query('alter subscription customers disable');
  await subscriber.query('alter subscription customers enable');
  await insertRandomCustomers(publisher, new Random(7), 50);
  expect(await differencesOnceReplicated()).toEqual([]);
  await publisher.query('delete from customers');
  expect(await differencesOnceReplicated()).toEqual([]);
});
