/** Finds a search in a customer's fields by the server's rules (docs/api.md, "Search"), to mark it. */
import { fold, foldWithPlaces, type Folded } from './fold.ts';
import { spellingsWithPlaces } from './spellings.ts';

/** From (inclusive) and to (exclusive), in the original text. */
export type Place = [from: number, to: number];

export interface Search {
  terms: string[];
  /** The digits of a search that is a whole phone number. */
  phone: string | null;
  /** In lower case. A search that is an identifier matches nothing else. */
  id: string | null;
}

/** The customers who are called exactly that before those who only contain it. */
export function wholeNamesFirst<T extends { name: string }>(customers: T[], text: string): T[] {
  const name = fold(text.trim());
  const rank = (customer: T) => (fold(customer.name) === name ? 0 : 1);
  return customers.toSorted((one, other) => rank(one) - rank(other));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const phoneCharacters = /^[0-9+\-()./\u2010-\u2014\u2212 ]*$/;
/** A whole search of these is one phone number. */
const digitsAndSeparators = /^[0-9+\-()[\]./,;:_~|·•\u2010-\u2015\u2212 ]*$/;
/** Characters of the four scripts, and the letters and marks they share, such as ー. */
const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}[[\p{L}\p{M}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]]]/v;
const wordCharacter = /[\p{L}\p{Nd}]/u;

export function parseSearch(text: string): Search {
  const trimmed = text.trim();
  if (uuid.test(trimmed)) return { terms: [], phone: null, id: trimmed.toLowerCase() };
  const folded = fold(trimmed);
  const terms = [...new Set(folded.split(' '))].filter((term) => term !== '');
  const digits = digitsIn(folded);
  const isNumber = digits.length >= 4 && digitsAndSeparators.test(folded);
  return {
    terms: isNumber && folded.trim().includes(' ') ? [digits] : terms,
    phone: isNumber ? significant(digits) : null,
    id: null,
  };
}

const digitsIn = (text: string): string => text.replaceAll(/[^0-9]/g, '');
/** Leading zeros say nothing: +49 30 is also 030. */
const significant = (digits: string): string | null => digits.replace(/^0+/, '') || null;

/** The digits of a term, if it has enough and is otherwise phone punctuation. */
function digitsToFind(term: string): string | null {
  const digits = digitsIn(term);
  return digits.length < 3 || !phoneCharacters.test(term) ? null : significant(digits);
}

/** Companies are names. Fields of different kinds are searched by different rules. */
export type FieldKind = 'name' | 'email' | 'phone';

/** What the server looks in. */
export interface Searchable {
  id: string;
  texts: readonly (readonly [text: string, kind: FieldKind])[];
}

/** Every match in a field, in order and without overlap. */
export function findPlaces(field: string, kind: FieldKind, search: Search): Place[] {
  if (search.id !== null || search.terms.length === 0) return [];
  const texts = foldedTexts(field, kind);
  const digits = kind === 'phone' ? onlyDigits(texts[0]!) : null;
  const places = search.terms.flatMap((term) => [
    ...texts.flatMap((text) => placesOf(term, text)),
    ...(digits ? placesOfDigits(term, digits) : []),
  ]);
  if (digits && search.phone) places.push(...occurrences(search.phone, digits));
  return merge(places);
}

/** Whether the server would find the customer. */
export function isMatch({ id, texts }: Searchable, search: Search): boolean {
  if (search.id !== null) return id.toLowerCase() === search.id;
  const folded = texts.flatMap(([text, kind]) => foldedTexts(text, kind));
  const phones = texts
    .filter(([, kind]) => kind === 'phone')
    .map(([text]) => onlyDigits(foldWithPlaces(text)));
  const { phone, terms } = search;
  if (phone && phones.some(({ text }) => text.includes(phone))) return true;
  return terms.every(
    (term) =>
      folded.some((text) => placesOf(term, text).length > 0) ||
      phones.some((digits) => placesOfDigits(term, digits).length > 0),
  );
}

const foldedTexts = (field: string, kind: FieldKind): Folded[] =>
  kind === 'name' ? spellingsWithPlaces(field) : [foldWithPlaces(field)];

function placesOf(term: string, field: Folded): Place[] {
  const anywhere = [...term].length >= 3 || cjk.test(term) || !wordCharacter.test(term);
  return occurrences(term, field, anywhere ? undefined : startsWord);
}

function placesOfDigits(term: string, digits: Folded): Place[] {
  const wanted = digitsToFind(term);
  return wanted === null ? [] : occurrences(wanted, digits);
}

function occurrences(
  wanted: string,
  { text, from, to }: Folded,
  counts: (text: string, at: number) => boolean = () => true,
): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (counts(text, at)) places.push([from(at), to(at + wanted.length - 1)]);
  }
  return places;
}

function startsWord(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1);
  return before === undefined || !wordCharacter.test(before);
}

function onlyDigits({ text, from, to }: Folded): Folded {
  const places = [...text.matchAll(/[0-9]/g)].map(({ index }) => index);
  return {
    text: places.map((at) => text[at]).join(''),
    from: (at) => from(places[at]!),
    to: (at) => to(places[at]!),
  };
}

function merge(places: Place[]): Place[] {
  const merged: Place[] = [];
  for (const [from, to] of places.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
