/**
 * The list and search of docs/api.md, implemented over plain arrays. The service has to return
 * the same.
 */
import type { WireCustomer } from '@clientele/contract';
import { searchedFields } from '@clientele/contract/customer-fields';
import { fold } from './fold.ts';
import { spellings } from './spellings.ts';

export type Searchable = Pick<
  WireCustomer,
  'uuid' | 'full_name' | 'email_address' | 'company_name' | 'phone_number' | 'created_at'
>;

/** Newest first; the identifier, descending, breaks ties. */
export function newestFirst(a: Searchable, b: Searchable): number {
  const byTime = Date.parse(b.created_at) - Date.parse(a.created_at);
  return byTime || (a.uuid < b.uuid ? 1 : -1);
}

export function listMatches<T extends Searchable>(customers: readonly T[], search: string): T[] {
  const matches = matcher(search);
  return customers.filter(matches).toSorted(newestFirst);
}

export function listPage<T extends Searchable>(
  customers: readonly T[],
  { search, page, perPage }: { search: string; page: number; perPage: number },
): { data: T[]; total: number } {
  const matching = listMatches(customers, search);
  const offset = (page - 1) * perPage;
  return { data: matching.slice(offset, offset + perPage), total: matching.length };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a customer matches the search. */
function matcher(search: string): (customer: Searchable) => boolean {
  const whole = search.trim().toLowerCase();
  if (uuid.test(whole)) return (customer) => customer.uuid === whole;

  const folded = fold(search);
  const digits = digitsAndSeparators.test(folded) ? folded.replaceAll(/\D/g, '') : '';
  const isNumber = digits.length >= 4;
  const wholeDigits = isNumber ? digits.replace(/^0+/, '') || undefined : undefined;
  const written = termsOf(folded);
  // Digits with white space between them are one number, not several terms.
  const terms = isNumber && written.length > 1 ? [digits] : written;
  return (customer) => {
    const { full_name, company_name, phone_number } = customer;
    const values: Partial<WireCustomer> = customer;
    const fields = searchedFields.map((name) => fold(String(values[name] ?? '')));
    fields.push(...[full_name, company_name ?? ''].flatMap(spellings));
    const phone = fold(phone_number ?? '').replaceAll(/\D/g, '');
    const hasDigits = (digits: string | undefined): boolean =>
      digits !== undefined && phone.includes(digits);

    return (
      hasDigits(wholeDigits) ||
      terms.every(
        (term) => fields.some((field) => occurs(term, field)) || hasDigits(phoneDigits(term)),
      )
    );
  };
}

/** The terms of folded text. */
export const termsOf = (folded: string): string[] =>
  folded.split(' ').filter((term) => term !== '');

/** Whether the term occurs anywhere or, for a short term, at the start of a word. */
function occurs(term: string, field: string): boolean {
  if (matchesAnywhere(term)) return field.includes(term);
  for (let at = field.indexOf(term); at !== -1; at = field.indexOf(term, at + 1)) {
    const before = [...field.slice(0, at)].at(-1);
    if (before === undefined || !letterOrDigit.test(before)) return true;
  }
  return false;
}

const letterOrDigit = /[\p{Letter}\p{Decimal_Number}]/u;

/** Letters of these four scripts, including letters and marks shared with other scripts, such as ー. */
const hanKanaHangul = new RegExp(
  `[${[
    String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`,
    String.raw`[[\p{Letter}\p{Mark}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]]`,
  ].join('')}]`,
  'v',
);

export function matchesAnywhere(term: string): boolean {
  return [...term].length >= 3 || hanKanaHangul.test(term) || !letterOrDigit.test(term);
}

/** A whole search of these is one phone number. */
const digitsAndSeparators = /^[\d +\-()[\]./,;:_~|·•\u2010-\u2015\u2212]*$/;

/** The digits to look for in a phone number, or `undefined` if the text is not part of one. */
function phoneDigits(text: string): string | undefined {
  if (!/^[\d +\-()./\u2010-\u2014\u2212]*$/.test(text)) return undefined;
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < 3) return undefined;
  return digits.replace(/^0+/, '') || undefined;
}
