/**
 * What a search asks the table. The rule itself (folding, terms, phones) is SQL, because customers'
 * text passes through the same functions: migrations/000001_search.sql.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Lane, Statement } from '../db/lane.ts';

export interface Terms {
  kind: 'terms';
  /** How many terms; 0 for everyone. */
  count: number;
  /**
   * LIKE patterns on search_text, as the statements take them: of the whole search as a phone, then of
   * each term as text and as a phone's digits. Null where there is none.
   */
  patterns: (string | null)[];
  /** The same for searches that ask the same. */
  key: string;
}

export type Search = Terms | { kind: 'customer'; uuid: string };

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuidShape.test(text);

export const everyone: Terms = { kind: 'terms', count: 0, patterns: [], key: '' };

export const patternsStatement: Statement = {
  name: 'search-patterns',
  text: 'select clientele.search_patterns($1) as patterns',
};

/** What the database makes of a text: the phone matches, or of every term its text or its digits. */
export interface Patterns {
  phone: string | null;
  terms: { text: string; digits: string | null }[];
}

const remembered = 10_000;

/** Reads searches; each text once, as what it asks never changes. */
export class SearchReader {
  readonly #lane: Lane;
  readonly #secret = randomBytes(32);
  readonly #read = new Map<string, Search>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  async read(text: string, signal: AbortSignal): Promise<Search> {
    if (text === '') return everyone;
    if (isUuid(text)) return { kind: 'customer', uuid: text };
    const textKey = this.#hash(text);
    const known = this.#read.get(textKey);
    if (known) return known;
    const [row] = await this.#lane.query<{ patterns: Patterns }>(patternsStatement, [text], signal);
    const search = this.#toTerms(row!.patterns);
    this.#read.set(textKey, search);
    const [oldest] = this.#read.keys();
    if (this.#read.size > remembered && oldest !== undefined) this.#read.delete(oldest);
    return search;
  }

  #toTerms(made: Patterns): Terms {
    const { count, patterns } = asParameters(made);
    // Nothing but apostrophes, say, is no term: everyone matches.
    if (count === 0) return everyone;
    return { kind: 'terms', count, patterns, key: this.#hash(JSON.stringify(patterns)) };
  }

  /** A search is personal data, so what it is remembered under is a keyed hash. */
  #hash(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64');
  }
}

/** As the statements of maps/sql.ts take them. */
export function asParameters({ phone, terms }: Patterns): Pick<Terms, 'count' | 'patterns'> {
  if (terms.length === 0) return everyone;
  const padded = padToPowerOfTwo(terms);
  const patterns = [phone, ...padded.flatMap(({ text, digits }) => [text, digits])];
  return { count: padded.length, patterns };
}

/** Repeating a term changes nothing, and keeps the statements that the server prepares few. */
function padToPowerOfTwo<T>(terms: T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(terms.length));
  return [...terms, ...Array<T>(length - terms.length).fill(terms[0]!)];
}
