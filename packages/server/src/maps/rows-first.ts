/**
 * A page of a search that was never counted: its rows as soon as they are read, the end of the response when the
 * search is counted. Both are of the snapshot of the rows: docs/decisions/rows-first.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { NoSlotError, ownBuffer, type RunStatement, type Terms } from '@clientele/directory';
import {
  endOfList,
  listBody,
  RowsFirst,
  startOfList,
  type PageRange,
} from '../responses/list-body.ts';
import type { Answer, PageFinder } from './find-page.ts';
import { readFirstRows, type FirstRows } from './first-rows.ts';
import { totalThen } from './total-then.ts';

/** A deeper page needs the count to know where it starts. */
const lastRow = 500;
/** In milliseconds. Most counts end within the first, and the rows are then not read on their own. */
const headStart = 15;
/** How long the count may take once the rows are there before they are sent alone. */
const patience = 50;

const mayComeFirst = ({ offset, limit }: PageRange): boolean => offset + limit <= lastRow;

/** In one piece where nothing has to be counted, or the count is not much slower than the rows. */
export async function findRowsFirst(
  maps: PageFinder,
  search: Terms,
  range: PageRange,
  signal: AbortSignal,
): Promise<Answer | RowsFirst> {
  if (!mayComeFirst(range) || !maps.cache.isCold(search))
    return maps.findPage(search, range, signal);
  const started = performance.now();
  const leaving = new AbortController();
  const whole = maps.findPage(search, range, AbortSignal.any([signal, leaving.signal]));
  const counted = whole.catch(unlessRefused);
  const quick = await within(headStart, counted);
  if (quick) return quick;
  const enough = new AbortController();
  const unread = AbortSignal.any([signal, enough.signal]);
  const run: RunStatement = (statement, values) =>
    maps.database.rows.query(statement, values, unread);
  // Whatever keeps the rows from being read, the count still answers the request, or says why not.
  const reading = readFirstRows(run, search, range).catch(() => undefined);
  try {
    const first = await Promise.race([
      counted.then(async (answer) => answer ?? (await reading)),
      reading,
    ]);
    if (!first) return await whole;
    if ('body' in first) return first;
    if (first.total !== undefined) {
      leaving.abort();
      if (first.state) maps.cache.set(search, first.state, started);
      return inOnePiece(maps, range, first, first.total);
    }
    const soon = await within(patience, whole);
    if (soon) return soon;
    const inTwo = rowsFirst(maps, search, range, first);
    leaving.abort();
    return inTwo;
  } finally {
    enough.abort();
  }
}

/** Where too many counts wait, the rows may be all that is needed. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof NoSlotError)) throw error;
}

function inOnePiece(
  { view }: PageFinder,
  range: PageRange,
  rows: FirstRows,
  total: number,
): Answer {
  const { customers, shown } = rows;
  return { body: listBody(range, customers, total, view), total, shown, source: 'cold_count' };
}

/** Its count is the one that is under way. */
function rowsFirst(maps: PageFinder, search: Terms, range: PageRange, first: FirstRows): RowsFirst {
  const rows = ownBuffer(startOfList(first.customers, maps.view));
  return new RowsFirst(rows, first.shown, async (signal) => {
    const total = await totalOf(maps, search, first, signal);
    return Buffer.from(endOfList(range, total));
  });
}

/** In the snapshot of the rows. */
export const totalOf = (
  { cache, database }: Pick<PageFinder, 'cache' | 'database'>,
  search: Terms,
  { at, total }: FirstRows,
  signal: AbortSignal,
): Promise<number> =>
  total === undefined
    ? totalThen(cache, database.lists, search, at, signal)
    : Promise.resolve(total);

/** Undefined if it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  work.catch(() => undefined);
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
