/**
 * Pages that were read lately. Each can be sent again as long as nothing was written since: ./page-age.ts. Their bodies,
 * each with the identifiers that it shows, are copied into one buffer, the latest over the oldest. Buffers of their own would stay in memory long after
 * they were dropped: V8 collects old ones when there are 64 MB of them.
 */
import { filtersKey, type Terms } from '@clientele/directory';
import type { PageRange } from '../responses/list-body.ts';
import type { FoundPage } from './find-page.ts';
import type { Point } from './page-age.ts';

export interface KnownPage {
  point: Point;
  page: FoundPage;
}

/** A page whose body is somewhere in the buffer, and after it the identifiers that it shows. */
interface StoredPage {
  point: Point;
  total: number;
  from: number;
  shown: number;
  to: number;
}

/** They may use this share of the memory, up to so many bytes. */
const most = { share: 1 / 6, bytes: 12_000_000 };
/** A page is counted as this many bytes at least, because of its memory outside the buffer. */
const leastBytes = 1_000;

export class KnownPages {
  #bodies: Buffer;
  /** The oldest first, which is also their order in the buffer from `next` on, and around its end. */
  readonly #pages = new Map<string, StoredPage>();
  #next = 0;
  /** The rest of the buffer has never been used. */
  #used = 0;

  /** A share of these bytes. */
  constructor(bytes: number) {
    this.#bodies = bufferFor(bytes);
  }

  get maxBytes(): number {
    return this.#bodies.length;
  }

  shareOf(bytes: number): void {
    this.clear();
    this.#bodies = bufferFor(bytes);
  }

  /** Undefined also if the page was read at a point that is not `wanted`. */
  get(search: Terms, range: PageRange, wanted: (point: Point) => boolean): KnownPage | undefined {
    const stored = this.#pages.get(keyOf(search, range));
    if (!stored || !wanted(stored.point)) return undefined;
    const { point, total, from, shown, to } = stored;
    // Copies: the next page may be written here while this one is being sent.
    const copy = (start: number, end: number) => Buffer.from(this.#bodies.subarray(start, end));
    return { point, page: { body: copy(from, shown), total, shown: copy(shown, to) } };
  }

  /** Without a point, nobody can know whether something was written since. */
  set(search: Terms, range: PageRange, { point, page }: KnownPage): void {
    if (point === null) return;
    const key = keyOf(search, range);
    this.#pages.delete(key);
    const { body, total } = page;
    const from = this.#room(Math.max(leastBytes, body.length + page.shown.length));
    if (from === undefined) return;
    const shown = from + body.copy(this.#bodies, from);
    const to = shown + page.shown.copy(this.#bodies, shown);
    this.#pages.set(key, { point, total, from, shown, to });
  }

  /** Somebody who is erased may be on one of them, so that nothing is left. */
  clear(): void {
    this.#pages.clear();
    this.#bodies.fill(0, 0, this.#used);
    [this.#next, this.#used] = [0, 0];
  }

  /** Drops the oldest pages until there is room for so many bytes, and returns where. */
  #room(bytes: number): number | undefined {
    if (bytes > this.#bodies.length) return undefined;
    if (this.#next + bytes > this.#bodies.length) {
      this.#dropUntil(this.#bodies.length);
      this.#next = 0;
    }
    const from = this.#next;
    this.#dropUntil(from + bytes);
    this.#next = from + bytes;
    this.#used = Math.max(this.#used, this.#next);
    return from;
  }

  /** Drops the pages that start between `next` and here. */
  #dropUntil(end: number): void {
    for (const [key, { from }] of this.#pages) {
      if (from < this.#next || from >= end) break;
      this.#pages.delete(key);
    }
  }
}

/** Not filled with zeros: memory is taken as pages are stored. */
const bufferFor = (bytes: number): Buffer =>
  Buffer.allocUnsafeSlow(Math.floor(Math.min(most.bytes, most.share * bytes)));

const keyOf = ({ key, flags, ascending }: Terms, { offset, limit }: PageRange): string =>
  `${offset} ${limit} ${flags ? filtersKey(flags) : ''} ${ascending ? 'up' : ''} ${key}`;
