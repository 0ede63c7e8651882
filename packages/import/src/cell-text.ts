/** What spreadsheets and databases write around a value, or instead of one. */
import { unguard } from '@clientele/contract/spreadsheet';
import { fault, type Fault } from './faults.ts';

/** Excel's, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const errors = new Set(
  (
    '#N/A #NA #NAME? #NULL! #NUM! #REF! #VALUE! #DIV/0! #SPILL! #CALC! #FIELD! #NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! ' +
    '#NOM? #VALEUR! #NOMBRE! #NUL! #PROPAGATION! #CALCUL! #N/D #¿NOMBRE? #¡VALOR! #¡REF! #¡NUM! #¡NULO! #¡DIV/0! ' +
    '#NOME? #VALORE! #RIF! #NULLO! #VALOR! #NÚM! #NULO! #N/B #NAAM? #WAARDE! #VERW! #GETAL! #LEEG! #DEEL/0!'
  ).split(' '),
);
/** Not `Null`, which is a surname. */
const nullWords = new Set(
  String.raw`NULL null (null) (NULL) <null> <NULL> [NULL] [null] \N NaN nan None undefined`.split(
    ' ',
  ),
);

/** A quoted cell after a space, which is not quoted by the rules of CSV. */
const strayQuotes = /^[ \t]+".*"[ \t]*$/s;
const guardedNumber = /^'[\d(]/;
const wrapped = /^="(.*)"$/s;
/** `4.9E+12`, and `4930555010.0` of a program that reads a column of numbers as floats. */
const damagedNumber = /^[+-]?\d+(?:[.,]\d+)?e[+-]\d{1,3}$|^[+-]?\d[.,]\d+e\d{1,3}$|^\d+\.0$/i;

/** By character code: whether one of the texts above starts with it. */
const suspects = new Uint8Array(128);
for (const character of String.raw`'=#\([<NnuU ` + '\t') suspects[character.charCodeAt(0)] = 1;

export interface CellOptions {
  /** Texts that mean an empty cell. */
  nulls?: readonly string[] | undefined;
  /** Take values as written. */
  raw?: boolean | undefined;
}

export type CellText = string | null | Fault;

/** The text of a cell without what a spreadsheet put around it. `onWrapped` is called for `="0151"`. */
export function readCell(text: string, options: CellOptions, onWrapped: () => void): CellText {
  if (options.raw) return text;
  // Some programs pad every cell to the width of its column.
  if (options.nulls?.includes(text) || options.nulls?.includes(text.trim())) return null;
  if (suspects[text.charCodeAt(0)] !== 1) return text;
  const word = text.trim();
  if (errors.has(word)) return fault['spreadsheet-error'];
  if (nullWords.has(word)) return fault['null-word'];
  if (strayQuotes.test(text)) return fault.quote;
  const unguarded = unguard(text);
  if (unguarded !== text) return unguarded;
  const inside = wrapped.exec(text)?.[1];
  if (inside === undefined) return text;
  onWrapped();
  return inside;
}

/** For identifiers and phone numbers, whose digits a spreadsheet can destroy. */
export function readDigits(text: string): string | Fault {
  if (guardedNumber.test(text)) return text.slice(1);
  return damagedNumber.test(text) ? fault['spreadsheet-number'] : text;
}
