/** No word is longer. */
export const longestWord = 32;

const size = longestWord + 1;
/** Three rows of the table of distances: the last but one, the last, and the one being filled. */
let [before, last, next] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];

/**
 * The Damerau–Levenshtein distance of two words of at most `longestWord` characters: how many characters have to be
 * inserted, removed, replaced, or swapped with the next one. If it is more than `most`, the result is `most + 1`.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    const letter = a.charCodeAt(i - 1);
    const letterBefore = i > 1 ? a.charCodeAt(i - 2) : -1;
    next[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const other = b.charCodeAt(j - 1);
      let steps = last[j - 1]! + (letter === other ? 0 : 1);
      if (last[j]! + 1 < steps) steps = last[j]! + 1;
      if (next[j - 1]! + 1 < steps) steps = next[j - 1]! + 1;
      const isSwap = j > 1 && letterBefore === other && letter === b.charCodeAt(j - 2);
      if (isSwap && before[j - 2]! + 1 < steps) steps = before[j - 2]! + 1;
      next[j] = steps;
      if (steps < least) least = steps;
    }
    // A swap reaches back over one row.
    if (least > most + 1) return most + 1;
    [before, last, next] = [last, next, before];
  }
  return Math.min(last[b.length]!, most + 1);
}
