/**
 * `pnpm bench:filters`: lists with filters compared with the same lists without, in turn, in one service; timelines of
 * warm searches; and updates that flip a flag compared with order events that do not. Works on a copy of the
 * customers, because it changes them.
 */
import { parseArgs } from 'node:util';
import { scopes } from '@clientele/contract';
import { createAccessKey } from '@clientele/sandbox';
import { CustomerList, openDatabase, type RunStatement } from '@clientele/server';
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
  await computeTimelines();
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
  /** By default, something is committed before, so that the page is not sent again. */
  const time = async (path: string, before = () => database.commit()): Promise<number> => {
    await before();
    const start = performance.now();
    const { status, body } = await client.get(path);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${body}`);
    return performance.now() - start;
  };
  /** The time of one divided by that of the other. Whichever comes first changes every time. */
  const inTurn = async (
    paths: string[],
    other = (path: string) => `${path}${filtered}`,
    before?: () => Promise<void>,
  ): Promise<number[]> => {
    const found: number[] = [];
    for (const [i, path] of paths.entries()) {
      const order = i % 2 === 0 ? [path, other(path)] : [other(path), path];
      const times = [await time(order[0]!, before), await time(order[1]!, before)];
      found.push(i % 2 === 0 ? times[1]! / times[0]! : times[0]! / times[1]!);
    }
    return found;
  };
  try {
    await time('/v3/customers');
    row('first page of everyone with filters, ms', [
      await time(`/v3/customers?${filtered.slice(1)}`),
    ]);
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
    const timelineOf = (path: string): string =>
      `${path.replace('customers', 'customers/timeline')}&exact=false`;
    const timelines = searches.map(timelineOf);
    row('first timeline of a counted search, ms', await each(timelines, time));
    const often = Array.from({ length: 5 }, () => searches).flat();
    row('timeline of a warm search, ms', await each(often.map(timelineOf), (t) => time(t)));
    row('timeline of a warm search ÷ its page', await inTurn(often, timelineOf));
    row('the same after a matching write', await inTurn(often, timelineOf, addMatch));
    row(
      'timeline with exact edges of a counted search, ms',
      await each(timelines, (t) => time(t.replace('exact=false', 'exact=true'))),
    );
  } finally {
    client.close();
    await service.stop();
  }
}

/** A customer whom all searches find. */
async function addMatch(): Promise<void> {
  await database.query(
    `insert into customers (full_name, email_address) values ($1, 'match@mail.example')`,
    [letters.join('')],
  );
}

/** What timelines take in this process, apart from their statements. */
async function computeTimelines(): Promise<void> {
  const connections = { lookups: 1, lists: 2, searches: 2, scans: 1 };
  const opened = openDatabase({ url: database.url, connections });
  const list = new CustomerList(opened, 100_000_000);
  const { signal } = new AbortController();
  const found: number[] = [];
  for (const search of Array.from({ length: 20 }, () => letters).flat()) {
    // Forgets the timeline and the reading of the text, but not the map.
    list.forget();
    await list.page({ search, page: 1, perPage: 25 }, signal);
    await opened.lists.snapshot(async (run) => {
      let waited = 0;
      const timed: RunStatement = async (statement, parameters) => {
        const asked = performance.now();
        const rows = await run(statement, parameters);
        waited += performance.now() - asked;
        return rows as never;
      };
      const start = performance.now();
      await list.timelineWithin(timed, { search, buckets: 120, exact: false }, signal);
      found.push(performance.now() - start - waited);
    }, signal);
  }
  await opened.close();
  // The first ones are slower than compiled code.
  row('computation of a timeline, apart from its statement, ms', found.slice(letters.length));
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
