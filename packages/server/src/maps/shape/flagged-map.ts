/** A map that distinguishes who is verified and who has orders: one map for each of the four kinds of customers. */
import type { Flags, Range } from '@clientele/directory';
import { MapMismatchError, type Change, type PageMap, type Start } from './page-map.ts';

/** By flags: 1 if verified, plus 2 if there are orders. */
type Parts = readonly [PageMap, PageMap, PageMap, PageMap];

export class FlaggedMap implements PageMap {
  readonly #parts: Parts;
  /** The sum that was last asked for: pages of one list follow each other. */
  #latest: { of: string; sum: PageMap } | undefined;

  /** All of the same kind, and with the same bounds. */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get total(): number {
    return this.#parts.reduce((sum, { total }) => sum + total, 0);
  }

  /** With what the sum may need: as much as one part if they count blocks, and as all of them if they hold places. */
  get bytes(): number {
    const parts = this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
    return parts + (this.bounds ? this.#parts[0].bytes : parts);
  }

  get bounds(): Float64Array | undefined {
    return this.#parts[0].bounds;
  }

  only({ verified, hasOrders }: Flags = {}): PageMap {
    const chosen = this.#parts.filter(
      (_, flags) =>
        (verified === undefined || verified === (flags & 1) > 0) &&
        (hasOrders === undefined || hasOrders === (flags & 2) > 0),
    );
    const of = `${verified} ${hasOrders}`;
    if (this.#latest?.of !== of) {
      this.#latest = { of, sum: chosen.reduce((sum, part) => sum.plus(part)) };
    }
    return this.#latest.sum;
  }

  start(offset: number, limit: number, ascending?: boolean): Start | undefined {
    return this.only().start(offset, limit, ascending);
  }

  with(changes: readonly Change[]): PageMap {
    if (changes.length === 0) return this;
    const byFlags = Map.groupBy(changes, ({ flags }) => flags);
    if (byFlags.has(undefined)) throw new MapMismatchError();
    return this.#each((part, flags) => part.with(byFlags.get(flags) ?? []));
  }

  plus(other: PageMap): PageMap {
    return this.#each((part, flags) => part.plus((other as FlaggedMap).#parts[flags]!));
  }

  edges(range: Range): Range[] {
    return this.#parts[0].edges(range);
  }

  slice(range: Range, edges: readonly PageMap[]): PageMap {
    return this.#each((part, flags) =>
      part.slice(
        range,
        edges.map((edge) => (edge as FlaggedMap).#parts[flags]!),
      ),
    );
  }

  #each(make: (part: PageMap, flags: number) => PageMap): FlaggedMap {
    const [neither, verified, orders, both] = this.#parts;
    return new FlaggedMap([make(neither, 0), make(verified, 1), make(orders, 2), make(both, 3)]);
  }
}
