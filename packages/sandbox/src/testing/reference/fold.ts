/**
 * A second implementation of the search's text folding, based on Unicode properties and independent of
 * the SQL. Tests compare the two, so a mistake in one of them shows.
 */

/** Characters that people type for an apostrophe. */
const apostrophes = new RegExp(
  `[${[
    "'", // apostrophe
    '`´', // grave, acute
    'ʹʻʼʽʾʿˈˊˋˮ', // modifier letters: prime, turned comma (the okina), apostrophe and their like
    '\u055A', // Armenian apostrophe
    '\u05F3', // Hebrew geresh
    '\u07F4\u07F5', // N'Ko apostrophes
    '\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE', // Greek koronis, psili, varia, oxia, dasia as characters
    '‘’‛', // single quotation marks
    '′‵', // primes
    '❛❜', // ornaments
    'Ꞌꞌ', // saltillo
  ].join('')}]`,
  'gu',
);

/** Unicode's five blocks of combining diacritical marks. */
const accents = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/gu;
const hebrewPoints = /[\p{Mark}&&\p{Script_Extensions=Hebrew}]/gv;
const arabicVowelSigns = /[[\p{Mark}&&\p{Script_Extensions=Arabic}]\u0640]/gv;
/** Soft hyphen, zero-width characters, direction controls, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/gv;
const whiteSpace = /[\p{White_Space}\p{Control}]/gv;

const letters: Record<string, string> = {
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

export function fold(text: string): string {
  return (
    text
      // Before normalization too, because NFKD turns some of them into a space and an accent.
      .replaceAll(apostrophes, '')
      .normalize('NFKD')
      .replaceAll(apostrophes, '')
      .replaceAll(accents, '')
      .replaceAll(hebrewPoints, '')
      .replaceAll(arabicVowelSigns, '')
      .replaceAll(invisible, '')
      .toLowerCase()
      .replaceAll(/[ßæœøłđðþıς]/g, (letter) => letters[letter]!)
      .normalize('NFKC')
      .replaceAll(whiteSpace, ' ')
  );
}
