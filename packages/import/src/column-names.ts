/** Comparing and showing the names of columns. */

/** Removes case, spaces, accents and punctuation. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

export const quoted = (name: string): string => `"${name}"`;
export const shellQuoted = (text: string): string =>
  /^[\w=.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The most similar name, if it is similar enough to be a typo. */
export function nearest<Name extends string>(
  name: string,
  among: readonly Name[],
): Name | undefined {
  const folded = foldName(name);
  const [best] = among
    .map((each) => ({ each, edits: editDistance(folded, foldName(each)) }))
    .filter(({ edits }) => edits <= Math.min(3, folded.length / 3))
    .toSorted((a, b) => a.edits - b.edits);
  return best?.each;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, above[j]! + 1, row[j - 1]! + 1));
    }
  }
  return row[b.length]!;
}
