/**
 * The rows that are sent before their total, and that total, are those of one snapshot, whatever is written in between.
 * `EXACTNESS_CHECKS=5000` compares more of them.
 */
import {
  createTestDatabase,
  insertRandomCustomers,
  patient,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import {
  addOrder,
  type Database,
  openDatabase,
  orders,
  prepareMasking,
} from '@clientele/directory';
import { RandomWriters } from './setup/random-writers.ts';
import { checkRowsFirst } from './setup/rows-first-exactness.ts';

const checks = Number(process.env['EXACTNESS_CHECKS'] ?? 200);
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const customers = 600;

let database: TestDatabase;
let server: Database;
let writers: RandomWriters;
beforeAll(async () => {
  database = await createTestDatabase();
  await insertRandomCustomers(await database.connect(), new Random(seed), customers);
  await database.query('analyze customers');
  const connections = { lookups: 1, lists: 12, searches: 4, scans: 4 };
  server = openDatabase({ url: database.url, connections, timeouts: patient });
  await prepareMasking(await database.connect());
  for (const order of orders) await addOrder(await database.connect(), order);
  writers = new RandomWriters({ connect: () => database.connect(), seed, writers: 4, customers });
});
afterAll(async () => {
  await server.close();
  await database[Symbol.asyncDispose]();
});

async function whileWriting<T>(work: () => Promise<T>): Promise<T> {
  await writers.start();
  try {
    return await work();
  } finally {
    await writers.stop();
  }
}

/** None of its searches has been counted. */
const coldLists = () =>
  ([server, server.masked] as const).map((lanes, i) => {
    const view = i === 0 ? ('full' as const) : ('masked' as const);
    return { lanes, view, list: () => new CustomerList(lanes, 10_000_000, { view }) };
  });

test(
  `rows and total are of one snapshot while customers are written: ${checks} times (seed ${seed})`,
  { timeout: 600_000 + checks * 300 },
  async () => {
    const result = await whileWriting(() => checkRowsFirst({ lists: coldLists(), checks, seed }));
    process.stdout.write(`${JSON.stringify({ seed, ...result })}\n`);
    expect(result.checked).toBeGreaterThanOrEqual(checks);
    expect(result.differences).toEqual([]);
    expect(result.moved, 'the total has often changed since the rows were read').toBeGreaterThan(
      checks / 20,
    );
  },
);

test('a total of a later snapshot than that of the rows is noticed', async () => {
  const options = { lists: coldLists(), checks: 60, seed, twoSnapshots: true };
  const { differences } = await whileWriting(() => checkRowsFirst(options));
  expect(differences.length).toBeGreaterThan(0);
});
