/**
 * From the text of a search to the patterns that match customers. The rule itself (folding, terms,
 * phones) is SQL, because customers' text passes through the same functions:
 * migrations/000001_search.sql. Only whether a search is one phone number is decided here (./phone-number.ts).
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Sort } from '@clientele/contract';
import type { Lane } from '../db/lane.ts';
import type { Statement } from '../db/statement.ts';
import { orders, type Order } from '../db/orders.ts';
import { LruMap } from '../memory/lru-map.ts';
import { flagsOf, rangeOf, type Filters, type Flags, type Range } from './filters.ts';
import { phoneNumberIn, phonePattern } from './phone-number.ts';
import { isAscending, orderOf } from './sort.ts';
import type { View } from './view.ts';

export interface Terms {
  kind: 'terms';
  view: View;
  /** How many terms; 0 for everyone. */
  count: number;
  /**
   * LIKE patterns on the view's text, in the order of ./match-condition.ts: the whole search as a phone
   * number, then each term as text and as the digits of a phone number. Null where there is none.
   */
  patterns: (string | null)[];
  /** Equal for searches that have the same map: those of one view and order with equal patterns and an equal range. */
  key: string;
  /** Only those at these places. */
  range?: Range;
  /** Only those with these flags. One map serves all flags, and another one searches without any. */
  flags?: Flags;
  /** In this order; without it, in that of creation. */
  order?: Order;
  /** From the other end of the same map. */
  ascending?: boolean;
}

export type Search = Terms | { kind: 'customer'; uuid: string };

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuidShape.test(text);

export const everyone: Record<View, Terms> = {
  full: { kind: 'terms', view: 'full', count: 0, patterns: [], key: '' },
  masked: { kind: 'terms', view: 'masked', count: 0, patterns: [], key: 'masked' },
};

/** The search among those who pass the filters. */
export function narrowed(search: Terms, filters: Filters | undefined): Terms {
  if (!filters) return search;
  const [range, flags] = [rangeOf(filters), flagsOf(filters)];
  const whole = flags ? { ...withFlags(search), flags } : search;
  return range ? { ...whole, range, key: `${whole.key} ${range.from} ${range.to}` } : whole;
}

/** The same search by a map with flags. */
export const withFlags = (search: Terms): Terms => ({
  ...search,
  flags: {},
  key: `${search.key} flags`,
});

/** The search in this order. */
export function sorted(search: Terms, sort: Sort | undefined): Terms {
  if (sort === undefined) return search;
  const order = orderOf(sort);
  return {
    ...search,
    ...(order && { order, key: `${search.key} by ${order}` }),
    ...(isAscending(sort) && { ascending: true }),
  };
}

export const inEveryOrder = (search: Terms): Terms[] => [
  search,
  ...orders.map((order) => sorted(search, `-${order}`)),
];

/** The same search in the whole list. */
export function withoutRange({ range, ...search }: Terms): Terms {
  if (!range) return search;
  return { ...search, key: search.key.slice(0, -` ${range.from} ${range.to}`.length) };
}

/** The same search for everybody in its map. */
export const anyFlags = <T extends Pick<Terms, 'flags'>>(search: T): T =>
  search.flags ? { ...search, flags: {} } : search;

export const patternsStatement: Statement = {
  name: 'search-patterns',
  text: 'select clientele.search_patterns($1) as patterns',
};

/** The database's reading of a text: a customer matches by the phone, or by the text or digits of every term. */
export interface Patterns {
  phone: string | null;
  terms: { text: string; digits: string | null }[];
}

/** The patterns of a text. `ask` has the database read a text. */
export async function patternsOf(
  text: string,
  ask: (text: string) => Promise<Patterns>,
): Promise<Patterns> {
  const number = phoneNumberIn(text);
  if (!number) return ask(text);
  const { terms } = await ask(number.isOneTerm ? text : number.digits);
  return { phone: phonePattern(number), terms };
}

/** The patterns of a text never change, so they are cached, up to this many bytes. */
const cachedBytes = 4_000_000;
/** The memory of a cached text: that of a pattern's characters, and of everything else. */
const bytesOf = (search: Search): number =>
  500 +
  (search.kind === 'terms'
    ? search.patterns.reduce((sum, pattern) => sum + 40 + 2 * (pattern?.length ?? 0), 0)
    : 0);

/** One for all nodes, so that a search has the same key on each. */
const secret = randomBytes(32);

export class SearchReader {
  readonly #lane: Lane;
  readonly #view: View;
  readonly #cached = new LruMap<string, Search>(cachedBytes, bytesOf);

  constructor(lane: Lane, view: View = 'full') {
    this.#lane = lane;
    this.#view = view;
  }

  async read(text: string, signal: AbortSignal): Promise<Search> {
    if (text === '') return everyone[this.#view];
    if (isUuid(text)) return { kind: 'customer', uuid: text };
    const textKey = this.#hash(text);
    const cached = this.#cached.get(textKey);
    if (cached) return cached;
    const patterns = await patternsOf(text, async (asked) => {
      const rows = await this.#lane.query<{ patterns: Patterns }>(
        patternsStatement,
        [asked],
        signal,
      );
      return rows[0]!.patterns;
    });
    const search = this.#toTerms(patterns);
    this.#cached.set(textKey, search);
    return search;
  }

  /** Texts that were searched for may be somebody's name or address. */
  forget(): void {
    this.#cached.clear();
  }

  #toTerms(made: Patterns): Terms {
    const view = this.#view;
    const { count, patterns } = asParameters(view === 'full' ? made : withoutPhones(made));
    // A search of apostrophes only, for example, has no term: everyone matches.
    if (count === 0) return everyone[view];
    const key = this.#hash(`${view} ${JSON.stringify(patterns)}`);
    return { kind: 'terms', view, count, patterns, key };
  }

  /** A search is personal data, so cache keys are keyed hashes. */
  #hash(text: string): string {
    return createHmac('sha256', secret).update(text).digest('base64');
  }
}

/** Masked text holds no phone number, so these patterns would match nothing. */
const withoutPhones = ({ terms }: Patterns): Patterns => ({
  phone: null,
  terms: terms.map(({ text }) => ({ text, digits: null })),
});

/** Patterns as the parameters of a statement. */
export function asParameters({ phone, terms }: Patterns): Pick<Terms, 'count' | 'patterns'> {
  if (terms.length === 0) return everyone.full;
  const padded = padToPowerOfTwo(terms);
  const patterns = [phone, ...padded.flatMap(({ text, digits }) => [text, digits])];
  return { count: padded.length, patterns };
}

/** Repeating a term changes nothing, and limits the number of prepared statements. */
function padToPowerOfTwo<T>(terms: T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(terms.length));
  return [...terms, ...Array<T>(length - terms.length).fill(terms[0]!)];
}
