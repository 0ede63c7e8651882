/** A search with its misspelt words replaced by known ones, in several ways, the best one first. */
import { limits } from '@clientele/contract';
import type { Candidate, KnownWords } from './known-words.ts';
import type { Count } from './suggestions.ts';

/** How many candidates there are for a word: fewer where several words are replaced at a time. */
const mostCandidates = [10, 4, 3];

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
  count: Count,
): Promise<string[]> {
  const tokens = tokensOf(search);
  const missing: Token[] = [];
  for (const token of tokens) {
    const occurs = tokens.length > 1 && (words.has(token.text) || (await count(token.text)) > 0);
    if (!occurs) missing.push(token);
  }
  const variants =
    missing.length > 0
      ? together(missing, words)
      : // All of them occur, but not together: perhaps one is another word than was meant.
        tokens.flatMap((token) => together([token], words));
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
function together(tokens: readonly Token[], words: KnownWords): Variant[] {
  const most = mostCandidates[tokens.length - 1] ?? 0;
  return tokens.reduce<Variant[]>(
    (variants, token) =>
      candidatesOf(token, words, most).flatMap(({ word, score }) =>
        variants.map((variant) => ({
          changes: [...variant.changes, { token, word }],
          score: variant.score + score,
        })),
      ),
    [{ changes: [], score: 0 }],
  );
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
