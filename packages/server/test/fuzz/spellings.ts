/** Other spellings of names and companies: rule 7 of docs/api.md#search, and docs/decisions/spellings.md. */
import { fold, wordsOf } from './fold.ts';

/** As stored: with the diaeresis or ring in the letter, or after it. A letter with one more accent in it is another one. */
const spelledOut: [letter: RegExp, spelling: string][] = [
  [/ä|a\u0308/g, 'ae'],
  [/ö|o\u0308|ø/g, 'oe'],
  [/ü|u\u0308/g, 'ue'],
  [/å|a\u030a/g, 'aa'],
];

/** Folded words, each to be searched on its own. */
export function spellingsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    const folded = fold(word);
    const longer = spelledOut.reduce(
      (text, [letter, spelling]) => text.replace(letter, spelling),
      word.toLowerCase(),
    );
    return [fold(longer), withoutDots(folded)].filter((spelling) => spelling !== folded);
  });
}

/** An abbreviation, with punctuation around it or not. */
const abbreviation = /^[^\p{L}\p{Nd}]*\p{L}(?:\.\p{L})+[^\p{L}\p{Nd}]*$/u;

const withoutDots = (word: string): string =>
  abbreviation.test(word) ? word.replaceAll('.', '') : word;
