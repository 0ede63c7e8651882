/**
 * The cached state of a search: its map as one snapshot saw it, and how to bring it to a later one.
 * Every transaction before `since` had ended in that snapshot; `pending` are the entries of later
 * transactions that it saw. To reach another snapshot: undo `pending`, apply the log's entries from
 * `since` on that the other snapshot sees. Total and page then agree to the row.
 */
import { matchCondition } from '../match-condition.ts';
import { MapMismatchError, type Change, type PageMap } from './page-map.ts';

export interface SearchState {
  /** The run of the database server: transaction ids mean nothing in another. */
  readonly server: string;
  readonly since: bigint;
  /** Includes `pending`. */
  readonly current: PageMap;
  readonly pending: readonly Change[];
  /** Transactions from `since` on that changed too much to list; the map was counted after them. */
  readonly recounted: ReadonlySet<string>;
}

/** What a statement reports about its snapshot. */
export interface Moment {
  server: string;
  /** The oldest transaction that is still running. */
  xmin: string;
  /** Entries of transactions before this one are gone from the log. */
  horizon: string;
  /** [transaction, sign, place] of each entry that matches, from `since` on. */
  changes: [string, number, number][] | null;
}

/**
 * A crash can undo commits that were visible and reuse their transaction ids while the postmaster keeps
 * running. Crash recovery always resets the background writer's statistics, so their reset time is part
 * of the name.
 */
const server = "concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())";

/**
 * A name for everything that a snapshot sees. Null on a standby, whose snapshots do not say which
 * transactions between xmin and xmax they see.
 */
export const snapshotName = `
  case when not pg_is_in_recovery() then concat_ws(' ', ${server}, pg_current_snapshot()) end`;

/** The CTE `seen`: the log's entries from `since` on that match. The patterns start at $first. */
export const seenEntries = (terms: number, first: number, since: string): string => `
  with seen as materialized (
    select e.xid, e.sign, e.place
    from clientele.changes as e
    where e.xid >= ${since} and (e.sign = 0 or (${matchCondition('e', terms, first)}))
  )`;

/** The columns of a Moment. The entries come from the CTE `seen`. */
export const momentColumns = `
  ${server} as server,
  pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
  (select h.xid::text from clientele.changes_horizon as h) as horizon,
  (select json_agg(json_build_array(s.xid::text, s.sign, s.place)) from seen as s) as changes`;

/** The state of a map that was counted in this snapshot. The moment's entries start at its xmin. */
export function newState(moment: Moment, counted: PageMap): SearchState {
  const recounted = recounts(moment);
  return {
    server: moment.server,
    since: BigInt(moment.xmin),
    current: counted,
    pending: listed(moment, recounted).map(toChange),
    recounted,
  };
}

/** The state in the snapshot of this moment. Undefined when the log does not reach: count again. */
export function catchUp(state: SearchState, moment: Moment): SearchState | undefined {
  const xmin = BigInt(moment.xmin);
  // On one node, one of two snapshots sees everything the other sees: equal numbers are equal sets.
  const recounted = recounts(moment);
  const known =
    moment.server === state.server &&
    BigInt(moment.horizon) <= state.since &&
    xmin >= state.since &&
    recounted.size === state.recounted.size;
  if (!known) return undefined;
  const changes = listed(moment, recounted);
  const unchanged = changes.length === state.pending.length;
  if (unchanged && xmin === state.since) return state;

  const moved = {
    ...state,
    since: xmin,
    pending: changes.filter(([xid]) => BigInt(xid) >= xmin).map(toChange),
    recounted: new Set([...recounted].filter((xid) => BigInt(xid) >= xmin)),
  };
  if (unchanged) return moved;
  try {
    const current = state.current.with([...state.pending.map(undo), ...changes.map(toChange)]);
    return { ...moved, current };
  } catch (error) {
    // A write bypassed the log. Noticing it here is luck, so the only safe answer is a new count.
    if (error instanceof MapMismatchError) return undefined;
    throw error;
  }
}

type Entry = [string, number, number];

const toChange = ([, sign, place]: Entry): Change => ({ place, sign });
const undo = ({ place, sign }: Change): Change => ({ place, sign: -sign });

const recounts = ({ changes }: Moment): Set<string> =>
  new Set((changes ?? []).filter(([, sign]) => sign === 0).map(([xid]) => xid));

/** A transaction that changed too much lists only its first changes; the count includes all of them. */
const listed = ({ changes }: Moment, recounted: ReadonlySet<string>): Entry[] =>
  (changes ?? []).filter(([xid]) => !recounted.has(xid));
