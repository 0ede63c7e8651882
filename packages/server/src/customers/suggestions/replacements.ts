/** A search with its misspelt words replaced by known ones, in several ways, the best one first. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '@clientele/contract';
import type { Candidate, KnownWords } from './known-words.ts';

/** How many candidates there are for a word: fewer where several words are replaced at a time. */
const mostCandidates = [10, 4, 3];
/** Nothing is suggested for longer searches: each of their words may have to be counted. */
const mostTokens = 8;

interface Token {
  text: string;
  start: number;
}

/** A replaced word, or several. */
interface Variant {
  changes: { token: Token; word: string }[];
  score: number;
}

export async function replacements(
  search: string,
  words: KnownWords,
  { count }: { count: (search: string) => Promise<number> },
  /** A word with more matches occurs. */
  rare = 0,
): Promise<string[]> {
  const tokens = tokensOf(search);
  if (tokens.length > mostTokens) return [];
  const missing: Token[] = [];
  for (const token of tokens) {
    const occurs = tokens.length > 1 && (words.has(token.text) || (await count(token.text)) > rare);
    if (!occurs) missing.push(token);
  }
  // If all of them occur, but not together, perhaps one is another word than was meant.
  const groups = missing.length > 0 ? [missing] : tokens.map((token) => [token]);
  const variants: Variant[] = [];
  for (const group of groups) variants.push(...(await together(group, words)));
  return variants
    .toSorted((a, b) => b.score - a.score)
    .map(({ changes }) => withChanges(search, changes))
    .filter((text) => [...text].length <= limits.search.maxCodePoints);
}

/** Words, numbers, and what is neither. */
const tokensOf = (search: string): Token[] =>
  Array.from(search.matchAll(/[\p{L}\p{M}\p{N}@_'’]+/gu), ({ 0: text, index }) => ({
    text,
    start: index,
  }));

/** Every combination of their candidates. None if there is a word without any. */
async function together(tokens: readonly Token[], words: KnownWords): Promise<Variant[]> {
  const most = mostCandidates[tokens.length - 1] ?? 0;
  let variants: Variant[] = most > 0 ? [{ changes: [], score: 0 }] : [];
  for (const token of tokens) {
    if (variants.length === 0) break;
    const candidates = candidatesOf(token, words, most);
    // Comparing all words takes milliseconds: others get a turn.
    await nextTurn();
    variants = candidates.flatMap(({ word, score }) =>
      variants.map((variant) => ({
        changes: [...variant.changes, { token, word }],
        score: variant.score + score,
      })),
    );
  }
  return variants;
}

/** Numbers and addresses are not misspelt names. */
const candidatesOf = ({ text }: Token, words: KnownWords, most: number): Candidate[] =>
  /[\p{N}@_]/u.test(text) ? [] : words.closest(text, most);

function withChanges(search: string, changes: Variant['changes']): string {
  let text = search;
  // From the end, so that the places of the others stay right.
  for (const { token, word } of changes.toReversed()) {
    text = text.slice(0, token.start) + word + text.slice(token.start + token.text.length);
  }
  return text;
}
