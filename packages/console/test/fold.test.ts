/**
 * The console marks what the server found, so both must fold and match alike. The server's tests check
 * its SQL against a reference for every character; these check the console against the same reference.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  listMatches,
  matchesAnywhere,
  fold as reference,
} from '@clientele/sandbox/testing/reference';
import { fold, foldWithPlaces } from '../src/search/fold.ts';
import { findPlaces, isMatch, parseSearch } from '../src/search/matches.ts';

const everyCharacter = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => !/[\p{Unassigned}\p{Private_Use}]/u.test(character));

/** Biased towards letters that fold and characters that change the letter before them. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(...'annaMÜLLER ßØåÄłđþıİΣς’‘ʻ`%_2²Ⅷ൰+-()..b.v/0'.split('')),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(...'\u0301\u0308\u200B\u200D\u00ADー각田ﬁＡمُשָ'.split('')),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
    ),
    { maxLength: 12 },
  )
  .map((characters) => characters.join(''));

describe('folds as the server does', () => {
  test('every character', () => {
    const wrong = everyCharacter.filter(
      (character) =>
        fold(character) !== reference(character) ||
        foldWithPlaces(character).text !== reference(character),
    );
    expect(wrong).toEqual([]);
  }, 600_000);

  test('any text, mapping each character back to the original', () => {
    fc.assert(
      fc.property(text, (original) => {
        const folded = foldWithPlaces(original);
        expect(folded.text).toBe(reference(original));
        let begin = 0;
        for (let at = 0; at < folded.text.length; at += 1) {
          expect(folded.from(at)).toBeGreaterThanOrEqual(begin);
          expect(folded.to(at)).toBeGreaterThan(folded.from(at));
          expect(folded.to(at)).toBeLessThanOrEqual(original.length);
          begin = folded.from(at);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('matches as the server does', () => {
  test('every character as a term, anywhere or at the start of a word', () => {
    // One in fifty of the ideographs and syllables, which are two thirds of all characters.
    const some = everyCharacter.filter(
      (character) =>
        !/[\u4E00-\u9FFF\uAC00-\uD7A3\u{20000}-\u{323AF}]/u.test(character) ||
        character.codePointAt(0)! % 50 === 0,
    );
    const wrong = some.filter((character) => {
      const term = reference(character);
      if (term === '' || term.includes(' ')) return false;
      const places = findPlaces(`a${term}`, 'name', parseSearch(term));
      return places.some(([, to]) => to > 1) !== matchesAnywhere(term);
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  test('any customer for any search', () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const customers = fc.record({ name: text, email: text, company: text, phone: fc.option(text) });
    /** Often part of a field; random text would hardly ever match. */
    const cases = customers.chain((customer) => {
      const whole = Object.values(customer).join(' ');
      const part = fc
        .tuple(fc.nat(whole.length), fc.integer({ min: 1, max: 6 }))
        .map(([from, length]) => whole.slice(from, from + length).toWellFormed());
      const respelled = part.map((text) =>
        text
          .normalize('NFC')
          .replaceAll(/[ÄÖÜäöüØø]/g, (letter) => `${reference(letter)}e`)
          .replaceAll(/[.åÅ]/g, (letter) => (letter === '.' ? '' : 'aa')),
      );
      const search = fc.oneof(part, respelled, text);
      return fc.record({ customer: fc.constant(customer), search });
    });
    fc.assert(
      fc.property(cases, ({ customer: { name, email, company, phone }, search }) => {
        const wire = {
          uuid: id,
          full_name: name,
          email_address: email,
          company_name: company,
          phone_number: phone,
          created_at: '2026-01-31T09:05:00.000Z',
        };
        const isFound = listMatches([wire], search).length > 0;
        const texts = [
          [name, 'name'],
          [email, 'email'],
          [company, 'name'],
          [phone ?? '', 'phone'],
        ] as const;
        expect(isMatch({ id, texts }, parseSearch(search))).toBe(isFound);
      }),
      { numRuns: 5_000 },
    );
  });
});
