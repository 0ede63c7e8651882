/** A table in memory: read through a page map as the page statement does, or directly to compare. */
import { BlockMap, PlaceMap, type PageMap, type Start } from '../../src/customers/maps/page-map.ts';

export interface Row {
  place: number;
  /** Distinguishes rows with the same place, as created_at and uuid do. */
  id: number;
}

/** Sorted like the list. */
export const tableOf = (places: readonly number[]): Row[] =>
  places.map((place, id) => ({ place, id })).toSorted((a, b) => b.place - a.place || b.id - a.id);

export const pageOf = (table: readonly Row[], offset: number, limit: number): Row[] =>
  table.slice(offset, offset + limit);

/** The page as found through a map. */
export function readPage(
  table: readonly Row[],
  map: PageMap,
  offset: number,
  limit: number,
): Row[] {
  const start: Start = map.start(offset, limit) ?? { below: -Infinity, skip: 0 };
  const found =
    'below' in start
      ? table.filter(({ place }) => place < start.below)
      : table.filter(({ place }) => start.places.includes(place));
  return found.slice(start.skip, start.skip + limit);
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
