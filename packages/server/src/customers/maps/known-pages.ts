/** Pages that were read lately. Each can be sent again as long as nothing was written since: ./page-age.ts. */
import { LruMap } from '../../lru-map.ts';
import { filtersKey } from '../filters.ts';
import type { Terms } from '../search.ts';
import type { FoundPage, PageRange } from './find-page.ts';
import type { Point } from './page-age.ts';

export interface KnownPage {
  point: Point;
  page: FoundPage;
}

/** They may use this share of the memory, up to so many bytes. */
const most = { share: 1 / 6, bytes: 12_000_000 };
/** The memory of a page in addition to its body. */
const ownBytes = 500;

export class KnownPages {
  readonly #pages: LruMap<string, KnownPage>;

  /** A share of these bytes. */
  constructor(bytes: number) {
    this.#pages = new LruMap(bytesOf(bytes), ({ page }) => page.body.length + ownBytes);
  }

  get maxBytes(): number {
    return this.#pages.max;
  }

  shareOf(bytes: number): void {
    this.#pages.max = bytesOf(bytes);
  }

  get(search: Terms, range: PageRange): KnownPage | undefined {
    return this.#pages.get(keyOf(search, range));
  }

  /** Without a point, nobody can know whether something was written since. */
  set(search: Terms, range: PageRange, known: KnownPage): void {
    if (known.point !== null) this.#pages.set(keyOf(search, range), known);
  }

  clear(): void {
    this.#pages.clear();
  }
}

const bytesOf = (all: number): number => Math.min(most.bytes, most.share * all);

const keyOf = ({ key, flags, ascending }: Terms, { offset, limit }: PageRange): string =>
  `${offset} ${limit} ${flags ? filtersKey(flags) : ''} ${ascending ? 'up' : ''} ${key}`;
