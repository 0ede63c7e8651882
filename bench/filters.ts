/**
 * `pnpm bench:filters`: lists with filters compared with the same lists without, in turn, in one service; timelines of
 * warm searches; and updates that flip a flag compared with order events that do not. The data set is made for this
 * run, because it is changed.
 */
import { parseArgs } from 'node:util';
import { scopes } from '@clientele/contract';
import { createAccessKey } from '@clientele/sandbox';
import { startWithCustomers } from './customers-database.ts';
import { HttpClient } from './http-client.ts';
import { startService } from './service.ts';
import { spread } from './statistics.ts';

const { values } = parseArgs({ options: { customers: { type: 'string', default: '200000' } } });
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
/** Searches with many matches. */
const letters = [...'abcdefghijk'];
const filtered = '&verified=true&hasOrders=false';

const database = await startWithCustomers(Number(values.customers), say);
try {
  process.stdout.write('| Measure | Median | between |\n| --- | ---: | --- |\n');
  await compareUpdates();
  await compareLists();
} finally {
  await database.stop();
}

/** In turn, on the same customers, all of whom have orders by then. */
async function compareUpdates(): Promise<void> {
  const rows = await database.query<{ uuid: string }>(
    'select uuid from customers order by place desc limit 600',
  );
  const time = async (change: string, uuid: string): Promise<number> => {
    const start = performance.now();
    await database.query(`update customers set ${change} where uuid = $1`, [uuid]);
    return performance.now() - start;
  };
  const found: number[] = [];
  for (const [n, { uuid }] of rows.entries()) {
    const order = await time('total_orders = total_orders + 1, last_order_at = now()', uuid);
    const flip = await time('is_verified = not is_verified', uuid);
    // The first ones find caches cold.
    if (n >= 200) found.push(flip / order);
  }
  row('update that flips a flag ÷ order event that does not', found);
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
  const time = async (path: string): Promise<number> => {
    // So that the page is not sent again.
    await database.commit();
    const start = performance.now();
    const { status, body } = await client.get(path);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${body}`);
    return performance.now() - start;
  };
  /** Whichever comes first changes every time. */
  const inTurn = async (paths: string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const [i, path] of paths.entries()) {
      const order = i % 2 === 0 ? [path, `${path}${filtered}`] : [`${path}${filtered}`, path];
      const times = [await time(order[0]!), await time(order[1]!)];
      found.push(i % 2 === 0 ? times[1]! / times[0]! : times[0]! / times[1]!);
    }
    return found;
  };
  try {
    await time('/v3/customers');
    const searches = letters.map((letter) => `/v3/customers?search=${letter}`);
    row('first count with flags ÷ without', await inTurn(searches));
    const pages = searches.flatMap((search) => [1, 7, 40].map((page) => `${search}&page=${page}`));
    await inTurn(pages);
    row('page of a counted search with filters ÷ without', await inTurn([...pages, ...pages]));
    const range = '&joinedFrom=2023-02-03&joinedTo=2024-05-06';
    row(
      'first page of a range of a counted search, ms',
      await each(searches, (s) => time(`${s}${range}`)),
    );
    const timelines = letters.map((letter) => `/v3/customers/timeline?search=${letter}`);
    row('first timeline of a counted search, ms', await each(timelines, time));
    row(
      'timeline of a warm search, ms',
      await each([...timelines, ...timelines, ...timelines], time),
    );
    row(
      'the same with exact edges, first, ms',
      await each(timelines, (t) => time(`${t}&exact=true`)),
    );
  } finally {
    client.close();
    await service.stop();
  }
}

async function each(paths: string[], time: (path: string) => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (const path of paths) found.push(await time(path));
  return found;
}

function row(name: string, found: number[]): void {
  const { median: middle, least, most } = spread(found);
  process.stdout.write(
    `| ${name} | ${middle.toFixed(2)} | ${least.toFixed(2)} and ${most.toFixed(2)} |\n`,
  );
}
