/** What the cache of page maps holds for a search. */
import type { Terms } from '@clientele/directory';
import type { SearchState } from './state/search-state.ts';

/** An entry's memory in addition to its map, measured with the smallest maps; one by flags consists of several. */
const entryBytes = { plain: 1_400, flagged: 2_800 };
/** The memory of a transaction id. */
const xidBytes = 40;

export interface MapEntry {
  search: Terms;
  state: SearchState;
  /** The server has restarted since. The next request finds out whether the state can still be used. */
  stranded?: boolean;
}

/** A search with no more matches may be about one of them, and is counted again in milliseconds. */
const fewMatches = 1_000;

export const isPersonal = ({ search, state }: MapEntry): boolean =>
  search.count > 0 && state.current.total <= fewMatches;

/** Bounds are shared by all maps and not counted. */
export const bytesOf = ({
  search,
  state: { current, seen, snapshot, portable },
}: MapEntry): number =>
  (search.flags ? entryBytes.flagged : entryBytes.plain) +
  current.bytes +
  xidBytes * (seen.length + snapshot.xip.length + (portable?.seen.length ?? 0));
