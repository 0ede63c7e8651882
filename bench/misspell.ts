/** Misspellings as people make them, at the keyboard and by ear. */

/** A number from 0 up to `below`. */
export type Draw = (below: number) => number;

const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Spellings of the same or a similar sound. */
const alike = [
  ['sch', 'sh', 's'],
  ['ph', 'f', 'v'],
  ['ck', 'k', 'c', 'q'],
  ['th', 't', 'd', 'dt'],
  ['ch', 'k', 'sh'],
  ['z', 's', 'c'],
  ['y', 'i', 'j', 'ie'],
  ['w', 'v', 'u'],
  ['x', 'ks'],
  ['ou', 'u', 'oo'],
  ['ei', 'ai', 'ey', 'ay'],
  ['e', 'i', 'a'],
  ['o', 'u', 'a'],
  ['b', 'p'],
  ['g', 'k'],
  ['m', 'n'],
  ['h', ''],
];

function neighbour(letter: string, draw: Draw): string {
  const row = rows.find((each) => each.includes(letter));
  if (!row) return 'e';
  const at = row.indexOf(letter) + (draw(2) === 0 ? 1 : -1);
  return row[Math.max(0, Math.min(row.length - 1, at))]!;
}

const edits: ((word: string, at: number, draw: Draw) => string)[] = [
  // A letter is left out, doubled, or hit next to the right key, or two are swapped.
  (word, at) => word.slice(0, at) + word.slice(at + 1),
  (word, at) => word.slice(0, at) + word[at] + word.slice(at),
  (word, at, draw) => word.slice(0, at) + neighbour(word[at]!, draw) + word.slice(at + 1),
  (word, at) => word.slice(0, at) + (word[at + 1] ?? '') + word[at] + word.slice(at + 2),
  soundAlike,
  soundAlike,
];

function soundAlike(word: string, _at: number, draw: Draw): string {
  const group = alike[draw(alike.length)]!;
  const from = group.find((spelling) => spelling !== '' && word.includes(spelling));
  if (from === undefined) return word;
  const to = group.filter((spelling) => spelling !== from);
  return word.replace(from, to[draw(to.length)]!);
}

/** One mistake, or two in one of five words. */
export function misspell(word: string, draw: Draw): string {
  let wrong = word;
  for (let mistakes = draw(5) === 0 ? 2 : 1; mistakes > 0; mistakes -= 1) {
    wrong = edits[draw(edits.length)]!(wrong, draw(wrong.length), draw);
  }
  return wrong;
}
