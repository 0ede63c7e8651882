/** No word is longer: a column of the table of distances is kept in the bits of a number. */
export const longestWord = 32;

/**
 * Computes Damerau–Levenshtein distances from a word of at most `longestWord` characters: how many characters have to
 * be inserted, removed, replaced, or swapped with the next one to make the other word of it, which may be a part of a
 * text. Bit-parallel, after Hyyrö (2003): a few operations for each character of the other word.
 */
export function distancesFrom(word: string): (text: string, from?: number, to?: number) => number {
  const { length } = word;
  if (length === 0) return (text, from = 0, to = text.length) => to - from;
  /** Where each character occurs in the word, as bits: by code if it is ASCII. */
  const ascii = new Int32Array(128);
  const others = new Map<number, number>();
  for (let i = 0; i < length; i += 1) {
    const code = word.charCodeAt(i);
    if (code < 128) ascii[code]! |= 1 << i;
    else others.set(code, (others.get(code) ?? 0) | (1 << i));
  }
  const end = 1 << (length - 1);
  return (text, from = 0, to = text.length) => {
    let steps = length;
    // Whether a cell of the column is one more, or one less, than the cell above it.
    let [more, less] = [-1, 0];
    // Whether a cell is the same as the one before and above it, and where the last character occurs.
    let [same, lastAt] = [0, 0];
    for (let j = from; j < to; j += 1) {
      const code = text.charCodeAt(j);
      const at = code < 128 ? ascii[code]! : (others.get(code) ?? 0);
      const swapped = ((~same & at) << 1) & lastAt;
      same = (((at & more) + more) ^ more) | at | less | swapped;
      // Whether a cell is one more, or one less, than the one before it.
      const right = less | ~(same | more);
      const left = same & more;
      if ((right & end) !== 0) steps += 1;
      else if ((left & end) !== 0) steps -= 1;
      const shifted = (right << 1) | 1;
      more = (left << 1) | ~(same | shifted);
      less = shifted & same;
      lastAt = at;
    }
    return steps;
  };
}
