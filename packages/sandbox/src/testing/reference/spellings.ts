/** The other spellings that names and companies are found by, independent of the SQL. */
import { fold } from './fold.ts';

const letters: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** The folded text of a name or company, once with its letters spelled out, once with its abbreviations joined. */
export const spellings = (name: string): string[] => [
  fold(spellOut(name)),
  fold(name).split(' ').map(joinAbbreviation).join(' '),
];

/** Müller becomes Mueller. */
const spellOut = (name: string): string =>
  name.replaceAll(
    /[aou]\u0308|a\u030A|[äöüøå]/giu,
    (letter) => letters[letter.normalize('NFC').toLowerCase()]!,
  );

/** Two letters or more, each a word of its own, with dots between them. */
const abbreviation =
  /^[^\p{Letter}\p{Decimal_Number}]*\p{Letter}(\.\p{Letter})+[^\p{Letter}\p{Decimal_Number}]*$/u;

/** B.V. becomes BV. */
const joinAbbreviation = (word: string): string =>
  abbreviation.test(word) ? word.replaceAll('.', '') : word;
