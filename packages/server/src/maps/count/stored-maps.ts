/**
 * Maps of common searches, stored in the database: a new instance adopts them instead of reading the table.
 * Only maps of counts per block are stored, so no place of a customer, and only of searches that many
 * customers match, so no search of a person.
 */
import type { Lane, Queries, Statement } from '@clientele/directory';
import type { Bounds } from '../shape/bounds.ts';
import { BlockMap } from '../shape/block-map.ts';
import type { SearchState } from '../state/search-state.ts';

/** Maps are stored again after so many changes, or after so many seconds if there was any. */
const refreshAfter = { entries: 50_000, seconds: 600 };
/** If nobody has stored them for so long despite changes, an instance with other bounds takes over. */
const abandonedAfter = 900;

export interface StoredMap {
  text: string;
  state: SearchState;
}

export async function readStoredBounds(lane: Lane): Promise<Omit<Bounds, 'customers'> | undefined> {
  const [row] = await lane.query<{ id: string; places: Buffer }>(boundsStatement, []);
  return row && { id: row.id, places: toPlaces(row.places) };
}

/** The texts of the searches that were stored with these bounds, that of everyone first. */
export async function storedTexts(lane: Lane, bounds: Bounds, signal: AbortSignal) {
  const rows = await lane.query<{ search: string }>(textsStatement, [bounds.id], signal);
  return rows.map(({ search }) => search);
}

/** A state that has to be adopted before it can be used. */
export async function readStored(
  lane: Lane,
  { id, places }: Bounds,
  text: string,
  signal: AbortSignal,
): Promise<SearchState | undefined> {
  const [row] = await lane.query<StoredRow>(mapStatement, [text, id], signal);
  const counts = row && toCounts(row.counts, places.length + 1);
  if (!counts) return undefined;
  return {
    identity: row.identity,
    // No run of a server has this name.
    run: 'stored',
    snapshot: { xmax: 0n, xip: [] },
    seen: [],
    portable: {
      since: BigInt(row.since),
      seen: row.seen.map(BigInt),
      witness: { xid: BigInt(row.witness), nonce: row.nonce },
    },
    current: new BlockMap(places, counts),
  };
}

interface StoredRow {
  counts: Buffer;
  identity: string;
  since: string;
  seen: string[];
  witness: string;
  nonce: string;
}

/** Stores what is missing or has changed much since it was stored, on the primary. */
export async function store(
  primary: Queries,
  { id, places }: Bounds,
  maps: readonly StoredMap[],
  signal: AbortSignal,
): Promise<void> {
  const [before] = await primary.query<StoredSet>(storedStatement, [], signal);
  const { standby, bounds, maps: stored, entries, horizon } = before!;
  if (standby) return;
  const isUseless = ({ since }: StoredAs): boolean => BigInt(horizon) > BigInt(since);
  const changed = ({ entries: then }: StoredAs): number => entries - then;
  if (bounds !== id) {
    const everyone = stored[''];
    const isKept =
      everyone !== undefined &&
      !isUseless(everyone) &&
      (changed(everyone) === 0 || everyone.age < abandonedAfter);
    if (isKept) return;
    await primary.query(storeBoundsStatement, [id, bytesOf(places)], signal);
  }
  for (const { text, state } of maps) {
    const as = bounds === id ? stored[text] : undefined;
    const isDue =
      !as ||
      isUseless(as) ||
      changed(as) >= refreshAfter.entries ||
      (changed(as) > 0 && as.age >= refreshAfter.seconds);
    if (!isDue || !state.portable || !(state.current instanceof BlockMap)) continue;
    if (state.current.bounds !== places) continue;
    const { since, seen, witness } = state.portable;
    const counts = fromCounts(state.current.counts);
    const included = [state.identity, since, seen, witness.xid, witness.nonce, entries];
    await primary.query(storeMapStatement, [text, id, counts, ...included], signal);
  }
}

/** How a map is stored: since which transaction, after how many entries of the log, how many seconds ago. */
interface StoredAs {
  since: string;
  entries: number;
  age: number;
}

interface StoredSet {
  standby: boolean;
  bounds: string | null;
  maps: Record<string, StoredAs>;
  /** About how many entries the log has had. */
  entries: number;
  horizon: string;
}

const boundsStatement: Statement = {
  name: 'stored-bounds',
  text: 'select b.id, b.places from clientele.stored_bounds as b',
};

const textsStatement: Statement = {
  name: 'stored-texts',
  text: 'select m.search from clientele.stored_maps as m where m.bounds = $1 order by m.search',
};

const mapStatement: Statement = {
  name: 'stored-map',
  text: `
    select m.counts, m.identity, m.since::text, m.seen::text[], m.witness::text, m.nonce
    from clientele.stored_maps as m where m.search = $1 and m.bounds = $2`,
};

const storedStatement: Statement = {
  name: 'stored-maps',
  text: `
    select pg_is_in_recovery() as standby, (select b.id from clientele.stored_bounds as b) as bounds,
      (
        select coalesce(json_object_agg(m.search, json_build_object(
          'since', m.since::text, 'entries', m.entries, 'age', extract(epoch from now() - m.stored_at)
        )), '{}')
        from clientele.stored_maps as m
      ) as maps,
      coalesce(
        (select c.id from clientele.changes as c order by c.xid desc limit 1), 0
      )::float8 as entries,
      (select h.xid::text from clientele.changes_horizon as h) as horizon`,
};

const storeBoundsStatement: Statement = {
  name: 'store-bounds',
  text: 'select clientele.store_bounds($1, $2)',
};

const storeMapStatement: Statement = {
  name: 'store-map',
  text: 'select clientele.store_map($1, $2, $3, $4, $5, $6, $7, $8, $9)',
};

function toPlaces(bytes: Buffer): Float64Array {
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readDoubleBE(8 * i));
}

function bytesOf(places: Float64Array): Buffer {
  const bytes = Buffer.alloc(8 * places.length);
  places.forEach((place, i) => bytes.writeDoubleBE(place, 8 * i));
  return bytes;
}

/** Seven bits per byte, the lowest first; the eighth says that more follow. Most counts take one or two. */
export function fromCounts(counts: Int32Array): Buffer {
  const bytes = Buffer.alloc(5 * counts.length);
  let end = 0;
  for (let count of counts) {
    for (; count > 0x7f; count >>>= 7) bytes[end++] = (count & 0x7f) | 0x80;
    bytes[end++] = count;
  }
  return bytes.subarray(0, end);
}

/** Undefined unless there are exactly so many. */
export function toCounts(bytes: Uint8Array, length: number): Int32Array | undefined {
  const counts = new Int32Array(length);
  let filled = 0;
  let shift = 0;
  for (const byte of bytes) {
    counts[filled] = counts[filled]! | ((byte & 0x7f) << shift);
    shift += 7;
    if (byte > 0x7f) continue;
    filled += 1;
    shift = 0;
  }
  return filled === length && shift === 0 ? counts : undefined;
}
