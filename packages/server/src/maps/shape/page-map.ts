/**
 * A page map knows where in the list the matches of a search are, so that any page is found without
 * walking to it. There are two kinds: the place of every match, for few matches, and the number of
 * matches in each block of the list, for many. Maps are immutable.
 */
import type { Flags, Range, Terms } from '@clientele/directory';
import type { PageRange } from '../../responses/list-body.ts';

/** A customer was added at a place (1) or removed from it (-1). */
export interface Change {
  place: number;
  sign: number;
  /** For maps with flags: 1 if verified, plus 2 if there are orders. */
  flags?: number;
}

/** Where a page starts. */
export type Start =
  /** Below this place, after skipping so many matches. */
  | { below: number; skip: number }
  /** In ascending order, from this place on, after skipping so many matches. */
  | { from: number; skip: number }
  /** At exactly these places, which several customers may share, after skipping so many matches. */
  | { places: number[]; skip: number };

export interface PageMap {
  readonly total: number;
  readonly bytes: number;
  /** What the list is cut by; undefined in a map of places. */
  readonly bounds: Float64Array | undefined;
  /** Undefined when there is no match at the offset. Ascending: from the other end of the list. */
  start(offset: number, limit: number, ascending?: boolean): Start | undefined;
  with(changes: readonly Change[]): PageMap;
  /** Those with these flags, in a map with flags; everybody in any other. */
  only(flags: Flags | undefined): PageMap;
  /** Both together. They must be of the same kind and have the same bounds. */
  plus(other: PageMap): PageMap;
  /** The ranges in which matches have to be counted for `slice`. */
  edges(range: Range): Range[];
  /** The part within a range, given maps of its edges. */
  slice(range: Range, edges: readonly PageMap[]): PageMap;
}

/** Where a page of a search starts in its map; beyond all matches where it has none of them. */
export function startOf(
  map: PageMap,
  { flags, ascending = false }: Pick<Terms, 'flags' | 'ascending'>,
  { offset, limit }: PageRange,
): Start {
  const end: Start = ascending ? { from: Infinity, skip: 0 } : { below: -Infinity, skip: 0 };
  return map.only(flags).start(offset, limit, ascending) ?? end;
}

/** A change that does not fit the map: a write bypassed the log. */
export class MapMismatchError extends Error {
  override readonly name = 'MapMismatchError';
}

/** The place of every match, greatest (newest) first. */
export class PlaceMap implements PageMap {
  readonly bounds = undefined;
  readonly #places: Float64Array;

  constructor(places: Float64Array) {
    this.#places = places;
  }

  get total(): number {
    return this.#places.length;
  }

  get bytes(): number {
    return this.#places.byteLength;
  }

  get places(): Float64Array {
    return this.#places;
  }

  only(): PageMap {
    return this;
  }

  plus(other: PageMap): PageMap {
    const others = (other as PlaceMap).#places;
    const both = new Float64Array(this.total + others.length);
    let next = 0;
    let filled = 0;
    for (const place of this.#places) {
      while (others[next]! > place) both[filled++] = others[next++]!;
      both[filled++] = place;
    }
    both.set(others.subarray(next), filled);
    return new PlaceMap(both);
  }

  edges(): Range[] {
    return [];
  }

  slice({ from, to }: Range): PageMap {
    return new PlaceMap(this.#places.filter((place) => place >= from && place < to));
  }

  start(offset: number, limit: number, ascending = false): Start | undefined {
    if (offset >= this.total) return undefined;
    const last = this.total - 1;
    const at = (i: number) => this.#places[ascending ? last - i : i];
    const length = Math.min(limit, this.total - offset);
    const page = Array.from({ length }, (_, i) => at(offset + i)!);
    // Customers who share the first place may already be on the page before.
    let skip = 0;
    while (offset - skip > 0 && at(offset - skip - 1) === page[0]) skip += 1;
    return { places: [...new Set(page)], skip };
  }

  with(changes: readonly Change[]): PageMap {
    if (changes.length === 0) return this;
    const net = new Map<number, number>();
    for (const { place, sign } of changes) net.set(place, (net.get(place) ?? 0) + sign);
    const came = [...net].filter(([, count]) => count > 0).toSorted(([a], [b]) => b - a);
    const growth = changes.reduce((sum, { sign }) => sum + sign, 0);
    if (this.total + growth < 0) throw new MapMismatchError();
    const places = new Float64Array(this.total + growth);
    let next = 0;
    let filled = 0;
    const arrive = (until: number): void => {
      for (; next < came.length && came[next]![0] >= until; next += 1) {
        const [place, count] = came[next]!;
        places.fill(place, filled, filled + count);
        filled += count;
      }
    };
    for (const place of this.#places) {
      arrive(place);
      const leaving = net.get(place) ?? 0;
      if (leaving < 0) net.set(place, leaving + 1);
      else places[filled++] = place;
    }
    arrive(-Infinity);
    for (const count of net.values()) if (count < 0) throw new MapMismatchError();
    return new PlaceMap(places);
  }
}
