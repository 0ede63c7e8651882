/**
 * CSV that is safe to open in a spreadsheet, whichever character it separates cells by. Spreadsheets run text that
 * starts with = and the like, and many separate by semicolons, so that the end of `Anna;=1+1` is a cell of its own.
 * See docs/decisions/spreadsheet-guard.md.
 */

/** What starts a formula in some spreadsheet, with the wide and small forms of these characters. */
const run = String.raw`=+\-@|\t＝＋－＠｜﹦﹢﹣﹫−`;
/** What separates cells in some locale, or can be chosen to. */
const split = String.raw`,;|\t`;
/** What a reader may remove from the start of a cell. It has no character of `split`, so that matching is linear. */
const skip = String.raw`(?:['"]|[^\S\t])*`;

/** Text that would run, or whose first quote would end the cell before it. */
const risky = new RegExp(`^${skip}[${run}${split}]|[${split}]${skip}[${run}]`);
/** A spreadsheet takes it for a number or a date, and drops the zeros at its start. */
const numeric = /^'*\(?\d[\d\s()./:-]*$/;
const unguarded = new RegExp(`([${split}])(?=${skip}[${run}])`, 'g');
const guarded = new RegExp(`([${split}])'(?=${skip}[${run}])`, 'g');

/** Makes text inert: an apostrophe at its start, and after each separator that is followed by a formula. */
export function guard(text: string): string {
  if (risky.test(text)) return `'${text.replaceAll(unguarded, "$1'")}`;
  // With its own apostrophe, it looks guarded.
  return text.startsWith("'") && numeric.test(text) ? `'${text}` : text;
}

/** Keeps a phone number as it is: `0100 893` is text. */
export const guardPhone = (phone: string): string =>
  numeric.test(phone) ? `'${phone}` : guard(phone);

/** The text that `guard` or `guardPhone` was given. */
export function unguard(text: string): string {
  const rest = text.slice(1);
  if (!text.startsWith("'")) return text;
  if (risky.test(rest)) return rest.replaceAll(guarded, '$1');
  return numeric.test(rest) ? rest : text;
}

const lineBreak = /\r\n|[\r\n\u2028\u2029]/g;
const needsQuotes = /[",;|\t]|^\s|\s$/;

/**
 * A line without its end. Null is written as nothing, an empty text as `""`. Line breaks become spaces. If one cell
 * needs quotes, all have them: a reader that separates by another character then sees one quoted cell, from the first
 * quote to the last. For that, the last cell must not be empty.
 */
export function spreadsheetLine(cells: readonly (string | null)[], separator = ','): string {
  const texts = cells.map((cell) => cell && cell.replaceAll(lineBreak, ' '));
  const quotesAll = texts.some((text) => text !== null && needsQuotes.test(text));
  return texts
    .map((text) => {
      if (text === null) return '';
      return quotesAll || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(separator);
}
