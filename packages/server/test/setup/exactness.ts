/** Compares pages and totals with those of a plain query in the same snapshot. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WireCustomerList, WireTimeline } from '@clientele/contract';
import {
  codeOf,
  DatabaseMismatchError,
  DatabaseUnavailableError,
  type ListQuery,
  NoSlotError,
  orderOf,
  OrderOffError,
  type Patterns,
  patternsOf,
  QueryAbortedError,
  QueryTimeoutError,
  type ReadLanes,
  type RunStatement,
  type TimelineQuery,
  type View,
} from '@clientele/directory';
import { CustomerList } from '../../src/customers/list.ts';
import { periodsBetween } from '../../src/maps/shape/periods.ts';
import type { Content } from '../../src/responses/list-body.ts';
import { lockCustomers } from '../../src/maps/state/search-state.ts';
import { Random, randomFilters, sampleSearches, sorts } from '@clientele/sandbox/testing';
import type { RandomWriters } from './random-writers.ts';
import { pageWithin, timelineWithin } from './within.ts';

export interface Truth {
  total: number;
  uuids: string[];
}

/** The expected result, read without anything that makes the list fast. */
export async function readTruth(
  run: RunStatement,
  query: ListQuery,
  view: View = 'full',
): Promise<Truth> {
  const terms = await termsOf(run, query.search);
  const each = terms.map((_, i) => `${trueText[view]} like any ($${i + 7}::text[])`);
  const { verified, hasOrders, joinedFrom, joinedTo } = query.filters ?? {};
  const { sort = '-created_at' } = query;
  const [way, nulls] = sort.startsWith('-') ? ['desc', 'last'] : ['asc', 'first'];
  const instant = (ms: number | undefined) =>
    ms === undefined ? null : new Date(ms).toISOString();
  const [truth] = await run<Truth>(
    {
      name: `truth-${terms.length}${sort}`,
      text: `
        with matches as materialized (
          select c.uuid, c.created_at, c.lifetime_value_cents, c.total_orders, c.last_order_at
          from only public.customers as c
          where ($3::boolean is null or c.is_verified = $3)
            and ($4::boolean is null or (c.total_orders > 0) = $4)
            and c.created_at >= coalesce($5::timestamptz, '-infinity')
            and c.created_at < coalesce($6::timestamptz, 'infinity')
            and ${['true', ...each].join(' and ')}
        )
        select (select count(*) from matches) as total, array(
          select m.uuid::text from matches as m
          order by m.${sort.replace('-', '')} ${way} nulls ${nulls}, m.created_at ${way}, m.uuid ${way}
          limit $1 offset $2
        ) as uuids`,
    },
    [
      ...[query.perPage, (query.page - 1) * query.perPage],
      ...[verified ?? null, hasOrders ?? null, instant(joinedFrom), instant(joinedTo)],
      ...terms,
    ],
  );
  return truth!;
}

/** What is wrong with a timeline, given the creation times of all matches in the same snapshot. */
export async function timelineFault(
  run: RunStatement,
  query: TimelineQuery,
  timeline: WireTimeline['data'],
  view: View = 'full',
): Promise<unknown> {
  const all = await readTruth(run, { ...query, page: 1, perPage: 1_000_000 }, view);
  const [row] = await run<{ instants: string[] }>(
    {
      name: 'true-instants',
      text: `select array(
               select (extract(epoch from c.created_at) * 1000)::bigint from only public.customers as c
               where c.uuid = any ($1::uuid[]) order by c.created_at desc
             )::text[] as instants`,
    },
    [all.uuids],
  );
  const instants = row!.instants.map(Number);
  const { total, exact, unit, buckets } = timeline;
  const starts = buckets.map(({ from }) => Date.parse(from));
  // The oldest period has everybody before it, if there are too many years.
  const periodOf = (instant: number): number => {
    const found = starts.findIndex((start) => instant >= start);
    return found === -1 ? starts.length - 1 : found;
  };
  const counts = buckets.map((_, i) => instants.filter((at) => periodOf(at) === i).length);
  const periods =
    instants.length > 0
      ? periodsBetween(instants.at(-1)!, instants[0]!, query.buckets)
      : { unit: 'hour', starts: [] };
  const expected = {
    unit: periods.unit,
    starts: periods.starts.toReversed(),
    total: all.total,
    counts: exact ? counts : buckets.map(({ count }) => count),
    above: buckets.map((_, i) => buckets.slice(0, i).reduce((sum, { count }) => sum + count, 0)),
    sum: all.total,
  };
  const got = {
    unit,
    starts,
    total,
    counts: buckets.map(({ count }) => count),
    above: buckets.map(({ above }) => above),
    sum: buckets.reduce((sum, { count }) => sum + count, 0),
  };
  const negative = buckets.some(({ count }) => count < 0);
  return negative || JSON.stringify(got) !== JSON.stringify(expected)
    ? { query, timeline, got, expected }
    : undefined;
}

/** Masked callers search names and companies, whatever is stored for them. */
const trueText: Record<View, string> = {
  full: 'c.search_text',
  masked: 'clientele.search_text(c.full_name, null, c.company_name, null)',
};

const knownTerms = new Map<string, string[][]>();

async function termsOf(run: RunStatement, search: string): Promise<string[][]> {
  const known = knownTerms.get(search);
  if (known) return known;
  const read = await patternsOf(search, async (text) => {
    const [row] = await run<Patterns>(
      {
        name: 'true-terms',
        text: 'select p.* from jsonb_to_record(clientele.search_patterns($1)) as p(phone text, terms jsonb)',
      },
      [text],
    );
    return row!;
  });
  // The whole search, read as a phone number, may replace any term.
  const terms = read.terms.map(({ text, digits }) =>
    [text, digits, read.phone].filter((pattern) => pattern !== null),
  );
  knownTerms.set(search, terms);
  return terms;
}

export const uuidsOf = (body: Buffer): string[] =>
  (JSON.parse(body.toString()) as WireCustomerList).data.map(({ uuid }) => uuid);

/** How a request may fail while operators are at work; a wrong page is never one of them. */
export const refusals = [
  ...[DatabaseUnavailableError, DatabaseMismatchError, OrderOffError],
  ...[NoSlotError, QueryTimeoutError],
];
export interface CheckOptions {
  databases: ReadLanes[];
  lists: CustomerList[];
  /** What each list shows; everything by default. */
  views?: View[];
  checks: number;
  seed: number;
  /** Concurrent readers of each list. */
  readers: number;
  mapBytes: number;
  /** SQLSTATEs with which a request may fail as well; by default, the table is missing for a moment. */
  refusedCodes?: RegExp;
}

export interface CheckResult {
  checked: number;
  /** Queries for which the change log was not enough, so that a new count was needed. */
  counted: number;
  /** Refused by the service or the database: see `refusals`. */
  refused: number;
  /** Timelines that were compared as well: every period of those that are exact, the sum of the others. */
  timelines: number;
  estimates: number;
  /** Those of `checked` that were in another order than that of creation. */
  sorted: number;
}

/** Compares this many pages, then stops the writers. Throws at the first difference. */
export async function checkExactness(
  options: CheckOptions,
  writers: Pick<RandomWriters, 'stop'>,
): Promise<CheckResult> {
  const { databases, lists, checks, readers, seed, mapBytes, refusedCodes = /^42P01$/ } = options;
  const viewOf = (which: number): View => options.views?.[which] ?? 'full';
  const result: CheckResult = {
    ...{ checked: 0, counted: 0, refused: 0, timelines: 0, estimates: 0, sorted: 0 },
  };
  const signal = new AbortController();

  const check = async (which: number, random: Random): Promise<void> => {
    const lane = databases[which]!.lists;
    // Now and then a server restarts.
    const view = viewOf(which);
    if (random.chance(0.002)) {
      lists[which] = new CustomerList(databases[which]!, mapBytes, { view });
    }
    const list = lists[which]!;
    const queries = Array.from({ length: random.pick([1, 1, 2, 4]) }, () => randomQuery(random));
    // Counted before: a count within the snapshot can wait for an operator who waits for the snapshot.
    for (const query of queries) {
      checkContent(query, await list.page(query, signal.signal));
      if (random.chance(0.3)) {
        const timeline = await list.timeline(randomTimeline(random, query), signal.signal);
        checkTimeline(timeline.body);
      }
    }
    await lane.snapshot(async (run) => {
      await run(lockCustomers[view], []);
      // Later queries in this snapshot meet maps that other readers have cached since.
      for (const query of queries) {
        const soon = () => AbortSignal.any([signal.signal, AbortSignal.timeout(300)]);
        const page = await pageWithin(list, run, query, soon()).catch(undefinedIfAborted);
        if (!page) {
          result.counted += 1;
          continue;
        }
        const truth = await readTruth(run, query, view);
        const got: Truth = { total: page.total, uuids: uuidsOf(page.body) };
        expectShown(page, got.uuids);
        if (JSON.stringify(got) !== JSON.stringify(truth)) {
          throw new Error(
            `seed ${seed}, ${view}, ${JSON.stringify(query)}: ${JSON.stringify({ got, truth }, null, 1)}`,
          );
        }
        result.checked += 1;
        if (orderOf(query.sort)) result.sorted += 1;
        if (!random.chance(0.4)) continue;
        const timed = randomTimeline(random, query);
        const timeline = await timelineWithin(list, run, timed, soon()).catch(undefinedIfAborted);
        const fault = timeline && (await timelineFault(run, timed, timeline, view));
        if (fault) throw new Error(`seed ${seed}, ${view}: ${JSON.stringify(fault, null, 1)}`);
        if (timeline) result[timeline.exact ? 'timelines' : 'estimates'] += 1;
      }
    });
  };

  const read = async (which: number, random: Random): Promise<void> => {
    while (result.checked < checks && !signal.signal.aborted) {
      try {
        await check(which, random);
      } catch (error) {
        const refused =
          refusals.some((kind) => error instanceof kind) || refusedCodes.test(codeOf(error) ?? '');
        if (!refused) throw error;
        result.refused += 1;
        await sleep(10);
      }
    }
  };

  try {
    await Promise.all(
      lists.flatMap((_, which) =>
        Array.from({ length: readers }, (__, i) =>
          read(which, new Random(seed + 1_000 * which + i)),
        ),
      ),
    );
  } finally {
    signal.abort();
    await writers.stop();
  }
  return result;
}

function undefinedIfAborted(error: unknown): undefined {
  if (!(error instanceof QueryAbortedError)) throw error;
}

/** What the audit records of a page, and daily records count, is who is on it. */
function expectShown({ shown }: Pick<Content, 'shown'>, uuids: readonly string[]): void {
  const expected = uuids.join('').replaceAll('-', '');
  if (shown.toString('hex') !== expected) throw new Error(`${expected} are shown as others`);
}

/** A page that was read in a snapshot of its own agrees at least with its own total. */
function checkContent({ page, perPage, search }: ListQuery, content: Content): void {
  const { data, pagination } = JSON.parse(content.body.toString()) as WireCustomerList;
  expectShown(
    content,
    data.map(({ uuid }) => uuid),
  );
  if (content.total !== pagination.total) throw new Error(`${search}: ${content.total} in all`);
  const expected = Math.min(perPage, Math.max(0, pagination.total - (page - 1) * perPage));
  if (data.length !== expected) {
    throw new Error(`${search}, page ${page}: ${data.length} rows of ${pagination.total}`);
  }
}

/** The same of a timeline. */
function checkTimeline(body: Buffer): void {
  const { total, buckets } = (JSON.parse(body.toString()) as WireTimeline).data;
  const sum = buckets.reduce((all, { count }) => all + count, 0);
  if (sum !== total) throw new Error(`a timeline of ${total} adds up to ${sum}`);
}

/** Of the list of a query. Few matches are counted in all of them, unless `few` says that they are not few. */
const randomTimeline = (random: Random, query: ListQuery): TimelineQuery => ({
  ...query,
  buckets: random.pick([1, 3, 12, 120]),
  ...random.pick([{ exact: true }, { exact: false }, { exact: false, few: 5 }]),
});

function randomQuery(random: Random): ListQuery {
  const perPage = random.pick([1, 2, 7, 25, 100]);
  const within = 1 + random.below(Math.ceil(1_200 / perPage) + 2);
  return {
    ...(random.chance(0.6) && { filters: randomFilters(random) }),
    ...(random.chance(0.5) && { sort: random.pick(sorts) }),
    search: random.pick(sampleSearches),
    perPage,
    page: random.chance(0.3) ? 1 : random.chance(0.02) ? 1_000_000 : 1 + random.below(within),
  };
}
