/**
 * What searches ignore, from rule 1 of docs/api.md#search alone. Nothing here is shared with the product: a mistake in
 * its folding must not be repeated by the test.
 */

/** `ß æ œ ø ł đ ð þ ı ς`, in lower case. */
const counted: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** Combining marks that belong to no script. */
const accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
const apostrophes = /['`´‘’‛′‵ʹʻʼʽʾʿˈˊˋ＇]/g;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const hebrewPoints = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g;
/** And the tatweel, which only stretches a word. */
const arabicVowelSigns = /[\u064b-\u065f\u0670\u0640]/g;

export function fold(text: string): string {
  const bare = text
    .replace(apostrophes, '')
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(invisible, '')
    .replace(accents, '')
    .replace(apostrophes, '')
    .replace(hebrewPoints, '')
    .replace(arabicVowelSigns, '');
  return Array.from(bare, (character) => counted[character] ?? character)
    .join('')
    .normalize('NFKC');
}

/** The words between white space. Control characters count as such. */
export const wordsOf = (text: string): string[] =>
  text.split(/[\p{White_Space}\p{Cc}]+/u).filter((word) => word !== '');

export const isLetterOrDigit = (character: string): boolean => /[\p{L}\p{Nd}]/u.test(character);
