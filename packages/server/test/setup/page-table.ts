/** A table in memory: read through a page map as the page statement does, or directly to compare. */
import { BlockMap } from '../../src/maps/shape/block-map.ts';
import { PlaceMap, type PageMap, type Start } from '../../src/maps/shape/page-map.ts';

export interface Row {
  place: number;
  /** Distinguishes rows with the same place, as created_at and uuid do. */
  id: number;
}

/** Sorted like the list. */
export const tableOf = (places: readonly number[]): Row[] =>
  places.map((place, id) => ({ place, id })).toSorted((a, b) => b.place - a.place || b.id - a.id);

export const pageOf = (
  table: readonly Row[],
  offset: number,
  limit: number,
  ascending = false,
): Row[] => inDirection(table, ascending).slice(offset, offset + limit);

const inDirection = (table: readonly Row[], ascending: boolean): readonly Row[] =>
  ascending ? table.toReversed() : table;

/** The rows among which a page is found, in its direction. */
export function rowsFrom(table: readonly Row[], start: Start, ascending: boolean): Row[] {
  return inDirection(table, ascending).filter(({ place }) => {
    if ('below' in start) return place < start.below;
    if ('from' in start) return place >= start.from;
    return start.places.includes(place);
  });
}

/** Where a page past the end starts. */
export const pastTheEnd = (ascending: boolean): Start =>
  ascending ? { from: Infinity, skip: 0 } : { below: -Infinity, skip: 0 };

/** The page as found through a map. */
export function readPage(
  table: readonly Row[],
  map: PageMap,
  offset: number,
  limit: number,
  ascending = false,
): Row[] {
  const start = map.start(offset, limit, ascending) ?? pastTheEnd(ascending);
  return rowsFrom(table, start, ascending).slice(start.skip, start.skip + limit);
}

export const placeMapOf = (places: readonly number[]): PlaceMap =>
  new PlaceMap(Float64Array.from(places.toSorted((a, b) => b - a)));

export function blockMapOf(places: readonly number[], bounds: readonly number[]): BlockMap {
  const cuts = Float64Array.from(bounds).toSorted();
  const counts = new Int32Array(cuts.length + 1);
  for (const place of places) {
    const block = cuts.filter((cut) => cut <= place).length;
    counts[block] = counts[block]! + 1;
  }
  return new BlockMap(cuts, counts);
}
