/** clientele.fold against the reference, for every character that Unicode has. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { matchesAnywhere, fold } from '@clientele/sandbox/testing/reference';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';

/** Characters, of those assigned, that decompose and came to Unicode after version 14. */
const youngAndComposed =
  /[\u{105C9}\u{105E4}\u{11380}-\u{113FF}\u{16100}-\u{1613F}\u{16D40}-\u{16D7F}\u{1CCD6}-\u{1CCF9}\u{1E030}-\u{1E06D}]/u;

let database: TestDatabase;
let characters: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  characters = await knownCharacters();
});
afterAll(() => database[Symbol.asyncDispose]());

/**
 * Every assigned character that the engine knows too. It has two tables, of two ages: its own, to
 * normalise, and ICU's, for letters and case, which is asked here what it can print.
 */
async function knownCharacters(): Promise<string[]> {
  const assigned = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((character) => /[^\p{Unassigned}\p{Private_Use}]/u.test(character));
  const [engine] = await database.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  const rows = await database.query<{ known: string }>(
    `select c as known from unnest($1::text[]) as c
     where c ~ '[[:graph:][:space:][:cntrl:]]' collate "und-x-icu"`,
    [assigned.filter((character) => engine!.major >= 18 || !youngAndComposed.test(character))],
  );
  // ICU counts format characters among none of those.
  const format = assigned.filter((character) => /\p{Format}/u.test(character));
  return [...new Set([...rows.map(({ known }) => known), ...format])];
}

const codePoints = (text: string): string =>
  [...text].map((character) => `U+${character.codePointAt(0)!.toString(16)}`).join(' ');

test('the engine knows nearly every character, so that this file proves something', () => {
  expect(characters.length).toBeGreaterThan(130_000);
});

test('every character, composed and decomposed, folds as the reference says', async () => {
  const forms = characters.flatMap((character) => [
    ...new Set([character, character.normalize('NFC'), character.normalize('NFD')]),
  ]);
  const rows = await database.query<{ text: string; folded: string }>(
    'select t as text, clientele.fold(t) as folded from unnest($1::text[]) as t',
    [forms],
  );
  const wrong = rows
    .filter(({ text, folded }) => folded !== fold(text))
    .map(({ text, folded }) => `${codePoints(text)} → ${codePoints(folded)}`);
  expect(rows).toHaveLength(forms.length);
  expect(wrong).toEqual([]);

  const changed = new Set(rows.filter(({ text, folded }) => folded !== text).map((r) => r.folded));
  const again = await database.query<{ folded: string }>(
    'select t as folded from unnest($1::text[]) as t where clientele.fold(t) <> t',
    [[...changed]],
  );
  expect(again, 'folding twice is folding once').toEqual([]);
});

test('every character is looked for anywhere or at the start of a word, as the reference says', async () => {
  // Of the ideographs and syllables, which are two thirds of all, one in fifty. And two signs that
  // Unicode 12 made letters are not for engines with older tables.
  const some = characters.filter(
    (character) =>
      (!/[\u4E00-\u9FFF\uAC00-\uD7A3\u{20000}-\u{323AF}]/u.test(character) ||
        character.codePointAt(0)! % 50 === 0) &&
      !/[\u1CF2\u1CF3]/.test(character),
  );
  // Alone, all that is no letter matches anywhere; so that goes behind a letter, too.
  const behindLetter = some.filter((character) => !/[\p{L}\p{Nd}]/u.test(character));
  const terms = [...new Set([...some, ...behindLetter.map((sign) => `a${sign}`)].map(fold))].filter(
    (term) => term !== '' && !term.includes(' '),
  );
  const rows = await database.query<{ term: string; pattern: string }>(
    `select t as term, clientele.search_patterns(t) #>> '{terms,0,text}' as pattern
     from unnest($1::text[]) as t`,
    [terms],
  );
  const wrong = rows
    .filter(({ term, pattern }) => pattern.startsWith('% ') === matchesAnywhere(term))
    .map(({ term, pattern }) => `${codePoints(term)}: ${JSON.stringify(pattern)}`);
  expect(rows).toHaveLength(terms.length);
  expect(wrong).toEqual([]);
});
