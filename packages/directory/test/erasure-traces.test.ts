/** After an erasure, no table and no statistic has any text of the person, on the primary and on a replica. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { findPostgres } from '@clientele/sandbox';
import {
  addOrder,
  clearTraces,
  createSecret,
  eraseCustomers,
  prepareMasking,
  removeOrder,
} from '@clientele/directory';
import {
  createLoginRole,
  insertRandomCustomers,
  type LoginRole,
  Random,
  type ReplicatedPostgres,
  scan,
  startReplicatedPostgres,
} from '@clientele/sandbox/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';

const uuid = 'abc00000-0000-4000-8000-000000000001';
/** Parts of what the person was called at some time. The first by its order is always in the statistics. */
const texts = ['aaaazyx', 'wvutsrq', 'aaaa.zyx@', '918273645', '546372819'];
const options = { reason: 'request 17', secret: createSecret() };
const within = promised(10_000);

let cluster: ReplicatedPostgres;
let owner: pg.Client;
let replica: pg.Client;
let login: LoginRole;
let writer: pg.Client;
/** Where the person's text is before the erasure. */
let before: string[];

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

beforeAll(async () => {
  const [postgres] = await findPostgres({ major: await majorUnderTest() });
  cluster = await startReplicatedPostgres(postgres!);
  owner = await connect(cluster.primaryUrl);
  replica = await connect(cluster.replicaUrl);
  const query = async <Row extends object>(text: string) => (await owner.query<Row>(text)).rows;
  login = await createLoginRole({ url: cluster.primaryUrl, query }, 'in role clientele_writer');
  writer = await connect(login.url);
  await insertRandomCustomers(owner, new Random(1), 500);
  await prepareMasking(owner);
});
afterAll(async () => {
  for (const client of [writer, owner, replica]) await client?.end();
  await cluster?.[Symbol.asyncDispose]();
});

/** Whether the version under test is 15 or 18. */
async function majorUnderTest(): Promise<number> {
  const client = await connect(inject('postgresUrl'));
  const { rows } = await client.query('show server_version_num');
  await client.end();
  return Math.floor(Number(rows[0].server_version_num) / 10_000);
}

/** A customer with a history, of whom much is known. */
beforeEach(async () => {
  await owner.query(`delete from clientele.gone_customers`);
  await owner.query(
    `insert into customers (uuid, full_name, email_address, phone_number, company_name)
     values ($1, 'Aaaazyx Wvutsrq', 'aaaa.zyx@directory.example', '+1 555 0142 918273645', 'Aaaazyx Limited')`,
    [uuid],
  );
  await change(owner);
  await owner.query(`update customers set created_at = '2003-04-05' where uuid = $1`, [uuid]);
  await owner.query('analyze');
  before = await scan(owner, texts);
});

const change = (client: pg.Client): Promise<unknown> =>
  client.query(
    `update customers set phone_number = '+1 555 0143 546372819', company_name = null where uuid = $1`,
    [uuid],
  );

const nothing = { primary: [], replica: [] };

/** Clears as `clientele erase` does, until nothing is found or the time is up. Returns where something is found. */
async function whatIsLeft(): Promise<Record<'primary' | 'replica', string[]>> {
  const until = performance.now() + within;
  for (;;) {
    await clearTraces(writer);
    const found = { primary: await scan(owner, texts), replica: await scan(replica, texts) };
    if (isDeepStrictEqual(found, nothing) || performance.now() > until) return found;
    await sleep(250);
  }
}

test('the importing login erases somebody: nothing is found ten seconds later', async () => {
  expect(before).toEqual(['clientele.changes', 'customers', 'pg_statistic', 'pg_stats']);
  const erased = await eraseCustomers(writer, [uuid], options);
  expect(erased).toEqual({ erased: 1, unknown: [], pending: 0 });
  expect(await whatIsLeft()).toEqual(nothing);
  expect(await clearTraces(writer)).toEqual({ remaining: 0, listed: 0, waitingFor: [] });
});

test('clientele.erase_customer() is completed in the same way', async () => {
  const { rows } = await writer.query('select clientele.erase_customer($1) as erased', [uuid]);
  expect(rows).toEqual([{ erased: true }]);
  expect(await whatIsLeft()).toEqual(nothing);
});

test('a feed erases somebody as an older program does', async () => {
  await writer.query(
    `with tombstone as (insert into clientele.gone_customers values ($1, 'infinity'))
     delete from customers where uuid = $1`,
    [uuid],
  );
  expect(await whatIsLeft()).toEqual(nothing);
});

test('while an old transaction writes, all that is visible goes; the rest when it has ended', async () => {
  const old = await connect(login.url);
  await old.query('begin');
  await old.query(
    `insert into customers (full_name, email_address) values ('Ada', 'ada@directory.example')`,
  );
  await eraseCustomers(writer, [uuid], options);
  expect(await whatIsLeft()).toEqual(nothing);
  const { rows } = await old.query<{ pid: number }>('select pg_backend_pid() as pid');
  const waiting = [expect.objectContaining({ process: rows[0]!.pid, login: login.name })];
  expect(await clearTraces(writer)).toEqual({ remaining: 1, listed: 0, waitingFor: waiting });
  await old.query('commit');
  expect(await whatIsLeft()).toEqual(nothing);
  expect(await clearTraces(writer)).toMatchObject({ remaining: 0 });
  await old.end();
});

test('a row that an old transaction has locked goes when it ends, with what that wrote', async () => {
  const old = await connect(login.url);
  await old.query('begin');
  await old.query(`update customers set full_name = 'Aaaazyx Married' where uuid = $1`, [uuid]);
  const erased = await eraseCustomers(writer, [uuid], options);
  expect(erased).toEqual({ erased: 1, unknown: [], pending: 1 });
  expect(await clearTraces(writer)).toMatchObject({ remaining: 1, listed: 1 });
  await old.query('commit');
  expect(await whatIsLeft()).toEqual(nothing);
  expect(await clearTraces(writer)).toMatchObject({ remaining: 0 });
  await old.end();
});

test('somebody whom an old transaction is inserting goes when it has ended', async () => {
  await eraseCustomers(writer, [uuid], options);
  expect(await whatIsLeft()).toEqual(nothing);
  await owner.query('delete from clientele.gone_customers');
  const old = await connect(login.url);
  await old.query('begin');
  await old.query(
    `insert into customers (uuid, full_name, email_address) values ($1, 'Aaaazyx', 'aaaa.zyx@directory.example')`,
    [uuid],
  );
  const erased = await eraseCustomers(writer, [uuid], options);
  expect(erased).toEqual({ erased: 0, unknown: [uuid], pending: 0 });
  await old.query('commit');
  expect(await whatIsLeft()).toEqual(nothing);
  expect(await clearTraces(writer)).toMatchObject({ remaining: 0 });
  await old.end();
});

test('nothing is left of what somebody has spent, by which lists can be sorted', async () => {
  await addOrder(owner, 'lifetime_value_cents');
  await owner.query('update customers set lifetime_value_cents = 918273645 where uuid = $1', [
    uuid,
  ]);
  await owner.query('update customers set lifetime_value_cents = 546372819 where uuid = $1', [
    uuid,
  ]);
  await owner.query('analyze');
  expect(await scan(owner, texts)).toEqual([
    'clientele.changes',
    'clientele.sorted_customers',
    'clientele.unchecked_customers',
    'customers',
    'pg_statistic',
    'pg_stats',
  ]);
  await eraseCustomers(writer, [uuid], options);
  expect(await whatIsLeft()).toEqual(nothing);
  await removeOrder(owner, 'lifetime_value_cents');
});
