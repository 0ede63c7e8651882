/**
 * `pnpm bench:sort`: order events in a directory with all orders switched on and in one without, in turn; and sorted
 * lists compared with the same lists newest first, in turn, in one service. Works on copies of the
 * customers, because it changes them.
 */
import { parseArgs } from 'node:util';
import { scopes, type WireCustomerList } from '@clientele/contract';
import { addOrder, orders } from '@clientele/server';
import { createAccessKey, withClient } from '@clientele/sandbox';
import { startWithCustomers, type CustomersDatabase } from './customers-database.ts';
import { HttpClient } from './http-client.ts';
import { startService } from './service.ts';
import { spread } from './statistics.ts';

const { values } = parseArgs({ options: { customers: { type: 'string', default: '200000' } } });
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
/** Searches with many matches. */
const letters = [...'abcdefghijk'];

const database = await startWithCustomers(Number(values.customers), say);
const plain = await startWithCustomers(Number(values.customers), say);
try {
  process.stdout.write('| Measure | Median | between |\n| --- | ---: | --- |\n');
  row('order events per second ÷ without orders, none added yet', await compareEvents());
  await timed('all orders added', async () => {
    for (const order of orders) await withClient(database.url, (client) => addOrder(client, order));
  });
  row('order events per second ÷ without orders', await compareEvents());
  await compareLists();
} finally {
  await plain.stop();
  await database.stop();
}

/** The rates of both directories in turn, in each of twenty parts. */
async function compareEvents(): Promise<number[]> {
  // Anywhere in the list. They all have orders already.
  const customers = await database.query<{ uuid: string }>(
    'select uuid from customers where total_orders > 0 order by random() limit 4200',
  );
  const time = async (directory: CustomersDatabase, part: number): Promise<number> => {
    const start = performance.now();
    for (const { uuid } of customers.slice(200 * part, 200 * part + 200)) {
      await directory.query(
        `update customers set total_orders = total_orders + 1, last_order_at = now(),
           lifetime_value_cents = lifetime_value_cents + 4200 where uuid = $1`,
        [uuid],
      );
    }
    return performance.now() - start;
  };
  const found: number[] = [];
  for (let part = 0; part < 21; part += 1) {
    // Whichever comes first changes every time.
    if (part % 2 === 0) {
      const without = await time(plain, part);
      found.push(without / (await time(database, part)));
    } else {
      const on = await time(database, part);
      found.push((await time(plain, part)) / on);
    }
  }
  // The first ones find caches cold.
  return found.slice(1);
}

async function compareLists(): Promise<void> {
  const service = await startService(database.url, {
    CLIENTELE_WARM_UP: 'off',
    CLIENTELE_RATE_READS: '100000',
    CLIENTELE_RATE_SEARCHES: '100000',
  });
  const key = await createAccessKey(database.url, 'bench', scopes);
  const client = new HttpClient(Number(new URL(service.origin).port), {
    authorization: `Bearer ${key}`,
  });
  const get = async (path: string): Promise<string> => {
    const { status, body } = await client.get(`/v3/customers?${path}`);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${body}`);
    return body;
  };
  const time = async (path: string): Promise<number> => {
    // So that the page is not sent again.
    await database.commit();
    const start = performance.now();
    await get(path);
    return performance.now() - start;
  };
  /** A count may take longer than a request, and continues meanwhile. */
  const count = (path: string) => service.getWithRetries(`/v3/customers?${path}`);
  try {
    await count('perPage=1');
    // The bounds of blocks are chosen once for each order.
    for (const order of orders) await count(`perPage=1&sort=${order}`);
    const counts: number[] = [];
    for (const [i, letter] of letters.entries()) {
      const pair = [`search=${letter}`, `search=${letter}&sort=-${orders[i % orders.length]}`];
      // Whichever comes first changes every time.
      if (i % 2 === 1) pair.reverse();
      const times = [(await count(pair[0]!)).ms, (await count(pair[1]!)).ms];
      say(pair.map((path, n) => `${path}: ${times[n]!.toFixed(0)} ms`).join(', '));
      counts.push(i % 2 === 0 ? times[1]! / times[0]! : times[0]! / times[1]!);
    }
    row('first count of a sorted search ÷ newest first', counts);
    for (const order of orders) {
      row(`page of a counted search by ${order}, at any depth, ms`, await pageTimes(order));
    }
  } finally {
    client.close();
    await service.stop();
  }

  /** From both ends, after each page has been read once. */
  async function pageTimes(order: string): Promise<number[]> {
    const found: number[] = [];
    for (const search of ['', ...letters.slice(0, 4), 'gmail', 'anna']) {
      const list = `search=${search}&sort=-${order}`;
      const { pagination } = JSON.parse((await count(list)).body) as WireCustomerList;
      const last = Math.ceil(pagination.total / pagination.per_page);
      for (const share of [0, 0.1, 0.35, 0.5, 0.8, 1]) {
        const page = Math.max(1, Math.round(share * last));
        for (const path of [`${list}&page=${page}`, `${list.replace('-', '')}&page=${page}`]) {
          await get(path);
          found.push(await time(path));
        }
      }
    }
    return found;
  }
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  say(`${what} in ${((performance.now() - start) / 1_000).toFixed(1)} s`);
}

function row(name: string, found: number[]): void {
  const { median: middle, least, most } = spread(found);
  process.stdout.write(
    `| ${name} | ${middle.toFixed(2)} | ${least.toFixed(2)} and ${most.toFixed(2)} |\n`,
  );
}
