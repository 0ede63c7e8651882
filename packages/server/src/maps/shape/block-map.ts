import type { Range } from '@clientele/directory';
import { MapMismatchError, type Change, type PageMap, type Start } from './page-map.ts';

/**
 * The number of matches in each block. Bounds ascend; block i holds the places from bounds[i - 1] up to,
 * but not including, bounds[i], as PostgreSQL's width_bucket() numbers them.
 */
export class BlockMap implements PageMap {
  readonly bounds: Float64Array;
  /** The matches in newer blocks than block i. */
  readonly above: Uint32Array;
  readonly total: number;

  constructor(bounds: Float64Array, counts: Int32Array) {
    this.bounds = bounds;
    this.above = new Uint32Array(counts.length);
    let sum = 0;
    for (let i = counts.length - 1; i >= 0; i -= 1) {
      this.above[i] = sum;
      sum += counts[i]!;
    }
    this.total = sum;
  }

  /** Bounds are shared by many maps and not counted here. */
  get bytes(): number {
    return this.above.byteLength;
  }

  /** Whether a block is so full that pages inside it take long to reach. */
  get uneven(): boolean {
    const fair = this.total / this.above.length;
    return this.counts.some((count) => count > 8 * fair + 1_000);
  }

  get counts(): Int32Array {
    const counts = new Int32Array(this.above.length);
    let newer = this.total;
    for (let i = 0; i < counts.length; i += 1) {
      counts[i] = newer - this.above[i]!;
      newer = this.above[i]!;
    }
    return counts;
  }

  only(): PageMap {
    return this;
  }

  plus(other: PageMap): PageMap {
    const others = (other as BlockMap).counts;
    return new BlockMap(
      this.bounds,
      this.counts.map((count, i) => count + others[i]!),
    );
  }

  /** Its first and its last block. */
  edges({ from, to }: Range): Range[] {
    const [first, last] = [this.blockOf(from), this.blockOf(to)];
    if (first === last) return [{ from, to }];
    return [
      { from, to: this.bounds[first]! },
      { from: this.bounds[last - 1]!, to },
    ];
  }

  slice({ from, to }: Range, edges: readonly PageMap[]): PageMap {
    const [first, last] = [this.blockOf(from), this.blockOf(to)];
    const counts = this.counts.slice(first, last + 1);
    counts[0] = edges[0]!.total;
    if (edges[1]) counts[last - first] = edges[1].total;
    return new BlockMap(this.bounds.subarray(first, last), counts);
  }

  start(offset: number, _limit: number, ascending = false): Start | undefined {
    if (offset >= this.total) return undefined;
    if (ascending) {
      // The block of the last match that is not before the offset, from the end.
      const block = this.#blockAt(this.total - 1 - offset);
      const below = block === 0 ? 0 : this.total - this.above[block - 1]!;
      return { from: this.bounds[block - 1] ?? -Infinity, skip: offset - below };
    }
    const block = this.#blockAt(offset);
    return { below: this.bounds[block] ?? Infinity, skip: offset - this.above[block]! };
  }

  /** The oldest block that starts at or before the offset: `above` descends as i ascends. */
  #blockAt(offset: number): number {
    let low = 0;
    let high = this.above.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.above[middle]! <= offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The number of bounds at or below the place. */
  blockOf(place: number): number {
    let low = 0;
    let high = this.bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.bounds[middle]! <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  with(changes: readonly Change[]): PageMap {
    if (changes.length === 0) return this;
    const counts = this.counts;
    for (const { place, sign } of changes) {
      const block = this.blockOf(place);
      counts[block] = counts[block]! + sign;
    }
    if (counts.some((count) => count < 0)) throw new MapMismatchError();
    return new BlockMap(this.bounds, counts);
  }
}
