/** Counting a search: where its matches lie, and the moment that holds for. */
import type { Database } from '../../db/database.ts';
import type { Lane, RunStatement, Statement } from '../../db/lane.ts';
import { everyone, type Terms } from '../search.ts';
import { BlockMap, PlaceMap } from './page-map.ts';
import { newState, type Moment, type SearchState } from './search-state.ts';
import {
  blocksStatement,
  boundsStatement,
  estimateStatement,
  momentStatement,
  placesStatement,
} from './sql.ts';

/** The places that cut the list into blocks of about equal size. */
export interface Bounds {
  places: Float64Array;
  customers: number;
}

/** More blocks make pages quicker to start and maps larger: so many customers in each, within bounds. */
const blockSize = 610;
const blocks = { min: 8_192, max: 131_072 };
/** Customers that are looked at for each bound. */
const sampled = 18;

/**
 * Up to this share of all customers, or this many, the place of each match is remembered. Up to so many
 * requests in a second, a scan has the database to itself.
 */
export const few = { share: 0.02, matches: 20_000, requests: 5 };

/** The planner guesses from a hundred customers: three of them may stand for one in a hundred, or for nine. */
const doubt = 3;

/** Processes beside the first, until the end of the transaction. */
const helpers: Statement = {
  name: 'helpers',
  text: `select set_config('max_parallel_workers_per_gather', $1, true)`,
};

export async function chooseBounds(lane: Lane): Promise<Bounds> {
  const customers = await estimate(lane, everyone);
  const count = Math.round(Math.min(blocks.max, Math.max(blocks.min, customers / blockSize)));
  const percent = Math.min(100, (100 * sampled * count) / Math.max(1, customers));
  const cuts = [percent, count - 1];
  const [row] = await lane.query<{ bounds: number[] }>(boundsStatement, cuts);
  return { places: Float64Array.from(row!.bounds), customers };
}

/**
 * By the trigram index where matches are few, and then each match's place is remembered; by reading
 * the whole table where they are many, and then their number in each block. Reading a row by the index
 * costs ten times as much, so where the guess is in doubt the index is tried, but not to the end.
 */
export async function countSearch(
  { searches, scans, lookups, lists }: Database,
  search: Terms,
  bounds: Bounds,
  signal: AbortSignal,
  beforeScan: () => void,
): Promise<SearchState> {
  const most = Math.max(few.matches, Math.round(few.share * bounds.customers));
  if (search.count > 0 && (await estimate(searches, search, signal)) <= doubt * most) {
    const state = await searches.snapshot((run) => countPlaces(run, search, 2 * most), signal);
    if (state) return state;
  }
  beforeScan();
  return scans.snapshot(async (run) => {
    // A second process halves the wait of one person, where it does not lengthen that of many.
    await run(helpers, [lookups.recent + lists.recent > few.requests ? '0' : '1']);
    return countBlocks(run, search, bounds);
  }, signal);
}

/** The planner's guess, which also knows the size of a table that was never analysed. */
async function estimate(
  lane: Lane,
  { count, patterns }: Terms,
  signal?: AbortSignal,
): Promise<number> {
  const [row] = await lane.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    estimateStatement(count),
    patterns,
    signal,
  );
  return row!['QUERY PLAN'][0].Plan['Plan Rows'];
}

/** Undefined when there are more than `most`: the estimate was wrong. */
async function countPlaces(run: RunStatement, { count, patterns }: Terms, most: number) {
  const [moment] = await run<Moment>(momentStatement(count), patterns);
  const [row] = await run<{ places: Buffer | null }>(placesStatement(count), [
    most + 1,
    ...patterns,
  ]);
  const bytes = row!.places ?? Buffer.alloc(0);
  const places = new Float64Array(bytes.length / 8);
  for (let i = 0; i < places.length; i += 1) places[i] = bytes.readDoubleBE(8 * i);
  return places.length > most ? undefined : newState(moment!, new PlaceMap(places));
}

async function countBlocks(run: RunStatement, { count, patterns }: Terms, { places }: Bounds) {
  const [moment] = await run<Moment>(momentStatement(count), patterns);
  const [row] = await run<{ blocks: Buffer | null }>(blocksStatement(count), [
    [...places],
    ...patterns,
  ]);
  const bytes = row!.blocks ?? Buffer.alloc(0);
  const counts = new Int32Array(places.length + 1);
  for (let at = 0; at < bytes.length; at += 8) {
    counts[bytes.readInt32BE(at)] = bytes.readInt32BE(at + 4);
  }
  return newState(moment!, new BlockMap(places, counts));
}
