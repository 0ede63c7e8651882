import pg from 'pg';
import { copyCustomers, customerAt } from '@clientele/sandbox/generator';
import { withScratchDatabase } from '../scratch-database.ts';
import { median, summarise, type Summary } from '../statistics.ts';
import { columns, row, type Bench, type Row } from './measure.ts';

/** Bounds the time to load. The triggers never read the table. */
const mostCustomers = 200_000;
const renamed = 10_000;
const singles = 100;

interface Execution {
  /** Without planning, the round trip and the commit, which both tables share. */
  ms: number;
  triggersMs: number;
}

/** One round on both tables. */
interface Pair {
  ours: Summary;
  bare: Summary;
  triggersMs: number;
}

type Statement = (table: string, i: number) => string;

/**
 * p, q and r: execution time of writes to customers, compared with a table that has the same columns,
 * constraints and indexes but no triggers.
 */
export async function writeCosts({ database, customers, say }: Bench): Promise<Row[]> {
  return withScratchDatabase(database.url, async (client) => {
    const size = Math.min(customers, mostCustomers);
    say(`p, q and r: ${size} customers in a scratch database`);
    await client.query('create table public.bare (like public.customers including all)');
    await copyCustomers(client, 1, size);
    await client.query(`insert into bare (${columns}) select ${columns} from customers`);
    await client.query('truncate clientele.changes');
    const renames = await measure(client, { rounds: 9, times: 1, statement: rename(size) });
    const inserts = await measure(client, { times: singles, statement: insert(size) });
    const updates = await measure(client, { times: singles, statement: addOrder });
    const deletes = await measure(client, { times: singles, statement: remove });
    for (const [name, pairs] of Object.entries({ renames, inserts, deletes, updates })) {
      const spread = ratios(pairs).map((value) => value.toFixed(2));
      const ms = (of: (pair: Pair) => number): string => median(pairs.map(of)).toFixed(3);
      say(
        `${name}: ${spread.join(' ')}; ${ms(({ ours }) => ours.p50)} ms, of which triggers ` +
          `${ms(({ triggersMs }) => triggersMs)}; without ${ms(({ bare }) => bare.p50)}`,
      );
    }
    const withOrders = { ...details(inserts), 'one order more': details(updates) };
    return [
      row(
        'p',
        'bulk rename of 10,000 customers ÷ without triggers',
        ratios(renames),
        1.15,
        details(renames),
      ),
      row('q', 'single insert ÷ without triggers', ratios(inserts), 1.2, withOrders),
      row('r', 'single delete ÷ without triggers', ratios(deletes), 1.5, details(deletes)),
    ];
  });
}

const ratios = (pairs: Pair[]): number[] => pairs.map(({ ours, bare }) => ours.p50 / bare.p50);
const details = (pairs: Pair[]) => ({ ratios: ratios(pairs), rounds: pairs });

/** Runs each statement on both tables in turn, and swaps which one is first. */
async function measure(
  client: pg.Client,
  { times, statement, rounds = 5 }: { times: number; statement: Statement; rounds?: number },
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  // The first round compiles the trigger functions and is not counted.
  for (let round = -1; round < rounds; round += 1) {
    // Replaces autovacuum. Also empties the trigram index's list of pending entries.
    await client.query('vacuum customers, bare, clientele.changes');
    const ours: Execution[] = [];
    const bare: Execution[] = [];
    for (let i = 0; i < times; i += 1) {
      const n = (round + 1) * times + i;
      const first = n % 2 === 0;
      if (first) ours.push(await execute(client, statement('customers', n)));
      bare.push(await execute(client, statement('bare', n)));
      if (!first) ours.push(await execute(client, statement('customers', n)));
    }
    if (round < 0) continue;
    pairs.push({
      ours: summarise(ours.map(({ ms }) => ms)),
      bare: summarise(bare.map(({ ms }) => ms)),
      triggersMs: median(ours.map(({ triggersMs }) => triggersMs)),
    });
  }
  return pairs;
}

async function execute(client: pg.Client, sql: string): Promise<Execution> {
  const { rows } = await client.query<{
    'QUERY PLAN': [{ 'Execution Time': number; Triggers: { Time: number }[] }];
  }>(`explain (analyze, format json) ${sql}`);
  const [plan] = rows[0]!['QUERY PLAN'];
  return {
    ms: plan['Execution Time'],
    triggersMs: plan.Triggers.reduce((sum, { Time }) => sum + Time, 0),
  };
}

/** Identifiers are evenly distributed, so a range of them has about as many customers as its share. */
const rename =
  (size: number): Statement =>
  (table, i) => {
    const ranges = Math.max(1, Math.floor(size / renamed));
    const from = i % ranges;
    return `update ${table} set full_name = full_name || ' Jr'
      where uuid >= '${identifier((from * renamed) / size)}'
        and uuid <= '${identifier(((from + 1) * renamed) / size)}'`;
  };

/** The identifier at a share of all identifiers. */
const identifier = (share: number): string => {
  const first = Math.min(2 ** 32 - 1, Math.floor(share * 2 ** 32));
  return `${first.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
};

const insert =
  (size: number): Statement =>
  (table, i) => {
    const values = Object.values(customerAt(1, size + i)).map((value) =>
      value === null ? 'null' : pg.escapeLiteral(String(value)),
    );
    return `insert into ${table} (${columns}) values (${values.join(', ')})`;
  };

const addOrder: Statement = (table, i) =>
  `update ${table} set total_orders = total_orders + 1 where uuid = '${customerAt(1, i).uuid}'`;

const remove: Statement = (table, i) =>
  `delete from ${table} where uuid = '${customerAt(1, i).uuid}'`;
