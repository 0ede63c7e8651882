/**
 * What is remembered of a search: its map as a snapshot saw it, and how to bring it to another. The
 * moment of that snapshot is a transaction id: every transaction before `since` was over, and
 * `pending` is what later ones had done that it saw. Another snapshot's map is this one without
 * `pending`, with the log's entries from `since` on that it sees, so its total and its page agree to
 * the row.
 */
import { MapMismatchError, type Change, type PageMap } from './page-map.ts';

export interface SearchState {
  /** The server that the moment is one of: transaction ids mean nothing to another. */
  readonly server: string;
  readonly since: bigint;
  /** With `pending`. */
  readonly current: PageMap;
  readonly pending: readonly Change[];
  /** Those from `since` on that changed too much to list, which the map was counted after. */
  readonly recounted: ReadonlySet<string>;
}

/** What a statement tells of the moment of its snapshot. */
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
 * A crash may undo commits that were seen and give their ids again, though the server's process lives
 * on; what it always does is reset the statistics of the background writer.
 */
const server = "concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())";

/**
 * A name for all that a snapshot sees. Null on a standby, whose snapshots do not tell which of the
 * transactions between xmin and xmax they see.
 */
export const snapshotName = `
  case when not pg_is_in_recovery() then concat_ws(' ', ${server}, pg_current_snapshot()) end`;

/** The columns of a Moment. The entries come from a CTE `seen`. */
export const momentColumns = `
  ${server} as server,
  pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
  (select h.xid::text from clientele.changes_horizon as h) as horizon,
  (select json_agg(json_build_array(s.xid::text, s.sign, s.place)) from seen as s) as changes`;

/** A state from a map that was counted in the snapshot of this moment, whose entries start at xmin. */
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

/** The state in the snapshot of this moment. Undefined when the log cannot tell: it has to be counted. */
export function catchUp(state: SearchState, moment: Moment): SearchState | undefined {
  const xmin = BigInt(moment.xmin);
  // Of two snapshots one sees all that the other sees, so as many entries are the same entries.
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
    // Somebody wrote past the log. That such a write is noticed at all is luck; what is right is not.
    if (error instanceof MapMismatchError) return undefined;
    throw error;
  }
}

type Entry = [string, number, number];

const toChange = ([, sign, place]: Entry): Change => ({ place, sign });
const undo = ({ place, sign }: Change): Change => ({ place, sign: -sign });

const recounts = ({ changes }: Moment): Set<string> =>
  new Set((changes ?? []).filter(([, sign]) => sign === 0).map(([xid]) => xid));

/** A transaction that changed too much lists only its first changes: the count has them all. */
const listed = ({ changes }: Moment, recounted: ReadonlySet<string>): Entry[] =>
  (changes ?? []).filter(([xid]) => !recounted.has(xid));
