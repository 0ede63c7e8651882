/**
 * What a search asks the table. The rule itself (folding, terms, phones) is SQL, because customers'
 * text passes through the same functions: migrations/000001_search.sql.
 */
import type { Lane } from '../db/lane.ts';

export type Search =
  | { kind: 'everyone' }
  | { kind: 'customer'; uuid: string }
  | { kind: 'patterns'; patterns: Patterns };

/** LIKE patterns on search_text: the phone matches, or of every term its text or its digits. */
export interface Patterns {
  phone: string | null;
  terms: { text: string; digits: string | null }[];
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuidShape.test(text);

export async function readSearch(lane: Lane, text: string, signal: AbortSignal): Promise<Search> {
  if (text === '') return { kind: 'everyone' };
  if (isUuid(text)) return { kind: 'customer', uuid: text };
  const [row] = await lane.query<{ patterns: Patterns }>(
    { name: 'search-patterns', text: 'select clientele.search_patterns($1) as patterns' },
    [text],
    signal,
  );
  const patterns = row!.patterns;
  // Nothing but apostrophes, say: every term of none matches.
  return patterns.terms.length === 0 ? { kind: 'everyone' } : { kind: 'patterns', patterns };
}
