/** Reads phone numbers, so that spellings of the same number can be compared. */

/** A number as it may be meant. Without a calling code, it is the number as dialled inside its country. */
export interface Phone {
  callingCode?: string;
  /** Without the zeros in front of it. */
  national: string;
}

const shortest = 8;
/** As ITU-T E.164 allows. Longer text is several numbers, or none. */
const longest = 15;
const extension = /(?:;ext=|\b(?:extension|ext|durchwahl|poste)\b|[x#])[\s.:]*\d{1,6}\s*$/i;
const isPlain = /^[ -~]*$/;
const trunkZero = /\(\s*0\s*\)/;
/** All others have three digits. */
const callingCodes = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])(?=\d)|^\d{3}/;

/** Between two numbers in one field. A slash may also follow an area code: it counts only if the whole is no number. */
const between = /[/;,|&]|\s\p{L}+\.?\s|(?=\+)/u;

/** All the numbers in a text, each as it can be read. */
export function readPhone(text: string): Phone[] {
  const folded = isPlain.test(text) ? text : asciiDigits(text.normalize('NFKC'));
  const one = readNumber(folded);
  return one.length > 0 || !between.test(folded) ? one : folded.split(between).flatMap(readNumber);
}

/**
 * How a number can be read: usually in one way. Digits without + or 00 in front can be a national number or, if there
 * are eleven or more, an international one; 011 is how North America dials abroad, and the area code of other places.
 * None if it is too short to be of one person, or a placeholder.
 */
function readNumber(text: string): Phone[] {
  const number = /[a-z#;]/i.test(text) ? text.replace(extension, '') : text;
  const digits = number.replace(/[^0-9]/g, '');
  if (digits.length < shortest) return [];
  if (/^[^0-9]*\+/.test(number)) {
    if (!number.includes('(')) return usable(international(digits.replace(/^0(?:0|11)/, '')));
    return usable(international(number.replace(trunkZero, '').replace(/[^0-9]/g, '')));
  }
  if (digits.startsWith('00')) return usable(international(digits.slice(2)));
  if (/^011\d{10}/.test(digits)) return usable(national(digits), international(digits.slice(3)));
  if (digits.startsWith('0') || digits.length < 11) return usable(national(digits));
  return usable(national(digits), international(digits));
}

/** Other scripts have digits of their own: ten in a row, from zero. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    let value = 0;
    while (/\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0)! - value - 1))) value += 1;
    return String(value % 10);
  });
}

const national = (digits: string): Phone => ({ national: digits.replace(/^0+/, '') });

function international(digits: string): Phone {
  const callingCode = callingCodes.exec(digits)?.[0] ?? '';
  return { callingCode, ...national(digits.slice(callingCode.length)) };
}

const usable = (...phones: Phone[]): Phone[] =>
  phones.filter(({ callingCode, national: digits }) => {
    const { length } = (callingCode ?? '') + digits;
    // Of a number without a code, the zero in front of it counts, too: as written, it is long enough.
    const isLong = callingCode === undefined || length >= shortest;
    return callingCode !== '' && isLong && length <= longest && !isPlaceholder(digits);
  });

const isPlaceholder = (digits: string): boolean =>
  digits.length < 5 ||
  /^(\d)\1+$/.test(digits) ||
  '12345678901234567890'.includes(digits) ||
  '98765432109876543210'.includes(digits);
