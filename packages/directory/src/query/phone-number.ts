/**
 * A search of digits and separators is one phone number, however it is divided: `030 555 0100`, `030,555,0100` and
 * `0 3 0 5 5 5 0 1 0 0` are the same. Its parts would each match much that has nothing to do with it.
 */
export interface PhoneNumber {
  /** As typed, with leading zeros. */
  digits: string;
  /** Without white space: it may also be a text, such as `24/7-24`. */
  isOneTerm: boolean;
}

/** Fewer are as likely a part of a name: `24 7`. */
const fewestDigits = 4;
const ignored = /\p{Default_Ignorable_Code_Point}/gu;
const space = /[\s\p{Cc}]/u;
const digitsAndSeparators = /^[\d\s\p{Cc}+\-()[\]./,;:_~|'’·•\u2010-\u2015\u2212]*$/u;

/** The phone number that a search is, if it is one. */
export function phoneNumberIn(search: string): PhoneNumber | undefined {
  const text = search.normalize('NFKC').replaceAll(ignored, '').trim();
  if (!digitsAndSeparators.test(text)) return undefined;
  const digits = text.replaceAll(/\D/g, '');
  return digits.length < fewestDigits ? undefined : { digits, isOneTerm: !space.test(text) };
}

/** Of the digits of a customer's phone, which follow this character. Leading zeros say nothing: +49 30 is also 030. */
export function phonePattern({ digits }: PhoneNumber): string | null {
  const significant = digits.replace(/^0+/, '');
  return significant === '' ? null : `%\u0001%${significant}%`;
}
