/**
 * A page of a search that was never counted: its rows as soon as they are read, the end of the response when the
 * search is counted. Both are of the snapshot of the rows: docs/decisions/rows-first.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ownBuffer, type Terms } from '@clientele/directory';
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
/** Rows that took longer are sent alone, as are rows whose count takes longer. In milliseconds. */
const patience = 15;
/** With more statements for rows than this per second, a count waits: people who type soon leave their searches. */
const busyStatementsPerSecond = 10;
/** Whoever has waited this long has stopped typing, in milliseconds. */
const pauseOfTyping = 250;

const mayComeFirst = ({ offset, limit }: PageRange): boolean => offset + limit <= lastRow;

/** In one piece where nothing has to be counted, or the count is quick. */
export async function findRowsFirst(
  maps: PageFinder,
  search: Terms,
  range: PageRange,
  signal: AbortSignal,
): Promise<Answer | RowsFirst> {
  if (!mayComeFirst(range) || !maps.cache.isCold(search))
    return maps.findPage(search, range, signal);
  const started = performance.now();
  // Whatever keeps the rows from being read, the count still answers the request, or says why not.
  const reading = readFirstRows(maps.database.rows, search, range, signal);
  const first = await reading.catch(() => undefined);
  if (!first) return maps.findPage(search, range, signal);
  if (first.total !== undefined) {
    if (first.state) maps.cache.set(search, first.state, started);
    return inOnePiece(maps, range, first, first.total);
  }
  // The count would take even longer.
  if (performance.now() - started > patience) return rowsFirst(maps, search, range, first);
  const leaving = new AbortController();
  const whole = maps.findPage(search, range, AbortSignal.any([signal, leaving.signal]));
  const soon = await within(patience, whole);
  if (soon) return soon;
  const inTwo = rowsFirst(maps, search, range, first);
  leaving.abort();
  return inTwo;
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

/** The end joins the count that is under way, or begins one; on a busy server, after a pause. */
function rowsFirst(maps: PageFinder, search: Terms, range: PageRange, first: FirstRows): RowsFirst {
  const rows = ownBuffer(startOfList(first.customers, maps.view));
  return new RowsFirst(rows, first.shown, async (signal) => {
    const isBusy = maps.database.rows.recent > busyStatementsPerSecond;
    if (isBusy) await sleep(pauseOfTyping, undefined, { signal });
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
