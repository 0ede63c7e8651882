/**
 * Counts a search with many matches on several nodes at once. Each node counts a range of the list in its
 * own snapshot; the log then brings all parts to one snapshot of the first node, where they are added up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadLanes } from '../../db/database.ts';
import type { Lane, RunStatement, Statement } from '../../db/lane.ts';
import type { Terms } from '../search.ts';
import { adoptRange } from './adopt.ts';
import type { Bounds } from './block-bounds.ts';
import { countRange } from './count.ts';
import type { Range } from './page-map.ts';
import { lockCustomers, type SearchState } from './search-state.ts';

/** Smaller directories are counted too quickly for several nodes to help. */
const leastCustomers = 100_000;
/** How long the first node may take to see what the others counted. */
const catchUpMs = 2_000;
const pauseMs = 50;

interface Part {
  state: SearchState;
  range: Range;
}

/** Undefined if this is not worthwhile or a node fails: then one node counts alone. */
export async function spreadCount(
  databases: readonly ReadLanes[],
  search: Terms,
  bounds: Bounds,
  signal: AbortSignal,
): Promise<SearchState | undefined> {
  const free = databases.filter(({ scans: { slots } }, i) => i === 0 || slots.taken < slots.size);
  const [here] = free;
  if (!here || free.length < 2 || bounds.customers < leastCustomers) return undefined;
  const failed = new AbortController();
  try {
    if (!(await isInListOrder(here.searches, signal))) return undefined;
    const stop = AbortSignal.any([signal, failed.signal]);
    const ranges = cut(bounds, free.length);
    const parts = await Promise.all(
      free.map(async (database, i): Promise<Part> => {
        const range = ranges[i]!;
        return { range, state: await countRange(database, search, bounds, range, stop) };
      }),
    );
    return await addUp(here.lists, search, parts, signal);
  } catch (error) {
    failed.abort();
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Ranges with about the same number of customers. */
function cut({ places }: Bounds, count: number): Range[] {
  const ends = Array.from(
    { length: count - 1 },
    (_, i) => places[Math.floor((places.length * (i + 1)) / count)]!,
  );
  return [-Infinity, ...ends].map((from, i) => ({ from, to: ends[i] ?? Infinity }));
}

/** A node may be behind the one that counted a part, so it gets some time to catch up. */
async function addUp(
  lists: Lane,
  search: Terms,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<SearchState | undefined> {
  const until = performance.now() + catchUpMs;
  do {
    const whole = await lists.snapshot((run) => addUpWithin(run, search, parts), signal);
    if (whole) return whole;
    await sleep(pauseMs, undefined, { signal });
  } while (performance.now() < until);
  return undefined;
}

async function addUpWithin(run: RunStatement, search: Terms, parts: readonly Part[]) {
  await run(lockCustomers[search.view], []);
  let whole: SearchState | undefined;
  for (const { state, range } of parts) {
    const part = await adoptRange(run, search, state, range);
    if (!part) return undefined;
    whole = { ...part, current: whole ? whole.current.plus(part.current) : part.current };
  }
  return whole;
}

/** Otherwise a range of the list is all over the table, and every node would read most of it. */
async function isInListOrder(lane: Lane, signal: AbortSignal): Promise<boolean> {
  const [row] = await lane.query<{ ordered: boolean | null }>(listOrderStatement, [], signal);
  return row?.ordered === true;
}

const listOrderStatement: Statement = {
  name: 'list-order',
  text: `
    select abs(s.correlation) >= 0.9 as ordered from pg_stats as s
    where s.schemaname = 'public' and s.tablename = 'customers' and s.attname = 'place'
      and not s.inherited`,
};
