/** Compares folding and spellings in SQL with the reference implementation, for every Unicode character. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fold, matchesAnywhere, spellings } from '@clientele/sandbox/testing/reference';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';

/** Composed characters added to Unicode after version 14. */
const newAndComposed =
  /[\u{105C9}\u{105E4}\u{11380}-\u{113FF}\u{16100}-\u{1613F}\u{16D40}-\u{16D7F}\u{1CCD6}-\u{1CCF9}\u{1E030}-\u{1E06D}]/u;

let database: TestDatabase;
let characters: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  characters = await knownCharacters();
});
afterAll(() => database[Symbol.asyncDispose]());

/**
 * Every assigned character that PostgreSQL knows too. It uses two Unicode tables of different versions:
 * its own for normalisation, and ICU's for letters and case, which is queried here.
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
    [assigned.filter((character) => engine!.major >= 18 || !newAndComposed.test(character))],
  );
  // ICU puts format characters in none of these classes.
  const format = assigned.filter((character) => /\p{Format}/u.test(character));
  return [...new Set([...rows.map(({ known }) => known), ...format])];
}

const codePoints = (text: string): string =>
  [...text].map((character) => `U+${character.codePointAt(0)!.toString(16)}`).join(' ');

test('PostgreSQL knows nearly every character, so the tests below cover them', () => {
  expect(characters.length).toBeGreaterThan(130_000);
});

test('every character, composed or decomposed, folds as in the reference', async () => {
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
  expect(again, 'folding is idempotent').toEqual([]);
});

/**
 * Only one in fifty of the ideographs and Hangul syllables, which are two thirds of all characters. Without two
 * characters that became letters in Unicode 12, which older tables do not know.
 */
const sampled = (all: string[]): string[] =>
  all.filter(
    (character) =>
      (!/[\u4E00-\u9FFF\uAC00-\uD7A3\u{20000}-\u{323AF}]/u.test(character) ||
        character.codePointAt(0)! % 50 === 0) &&
      !/[\u1CF2\u1CF3]/.test(character),
  );

test('every character matches anywhere or at the start of a word, as in the reference', async () => {
  const sample = sampled(characters);
  // Alone, a character that is not a letter or digit matches anywhere, so try it after a letter, too.
  const afterLetter = sample.filter((character) => !/[\p{L}\p{Nd}]/u.test(character));
  const terms = [
    ...new Set([...sample, ...afterLetter.map((char) => `a${char}`)].map(fold)),
  ].filter((term) => term !== '' && !term.includes(' '));
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

test('the other spellings of every character, in a word and in an abbreviation, are as in the reference', async () => {
  const names = sampled(characters)
    .flatMap((character) => [character.normalize('NFC'), character.normalize('NFD')])
    .flatMap((character) => [`b${character}`, `${character}.b.`]);
  const rows = await database.query<{ name: string; found: string }>(
    `select n as name,
       split_part(split_part(clientele.search_text(n, n, null, null), E'\\x01', 1), E'\\x02', 2) as found
     from unnest($1::text[]) as n`,
    [[...new Set(names)]],
  );
  /** Without marks and repetitions; in which order the spellings are appended does not matter. */
  const letters = (text: string): string =>
    [...text.replaceAll(' ', '').replace(/(\P{ASCII})\1\1/gu, '$1')].toSorted().join('');
  const expected = (name: string): string => {
    const words = fold(name).split(' ');
    const others = spellings(name).flatMap((text) =>
      text.split(' ').filter((word, n) => word !== words[n]),
    );
    return [...new Set(others)].join(' ');
  };
  const wrong = rows
    .filter(({ name, found }) => letters(found) !== letters(expected(name)))
    .map(({ name, found }) => `${codePoints(name)}: ${JSON.stringify(found)}`);
  expect(wrong).toEqual([]);
  const spelledOut = rows.filter(({ name, found }) => /^b.$/u.test(name) && found !== '');
  expect(new Set(spelledOut.map(({ name }) => name[1]))).toEqual(new Set('ÄÅÖØÜäåöøü'));
});

test('PostgreSQL inlines search_text() where customers are written: calling it would cost as much as its work', async () => {
  const plan = await database.query<{ 'QUERY PLAN': string }>(
    `explain verbose
     select clientele.search_text(full_name, email_address, company_name, phone_number) from customers`,
  );
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(text).toContain('clientele.fold(');
  expect(text).not.toContain('clientele.search_text(');
});

test('the index finds the matches of a short term in every script', async () => {
  const terms = ['a', 'ab', 'ö', 'я', '黒', '黒森', '太', '김', '김민', 'ア', 'ん', 'ー', '𠮷'];
  await database.query(
    `create temp table texts as
     select clientele.search_text(name, null, null, null) as text from unnest($1::text[]) as name`,
    [[...terms, ...Array<string>(2_000).fill('Somebody Else')]],
  );
  await database.query('create index on texts using gin (text gin_trgm_ops)');
  await database.query('set enable_seqscan = off');
  for (const term of terms) {
    const [plan] = await database.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, format json) select from texts
       where text like (clientele.search_patterns($1) #>> '{terms,0,text}')`,
      [term],
    );
    const candidates = /"Bitmap Index Scan".*?"Actual Rows":([\d.]+)/s.exec(JSON.stringify(plan));
    expect(Number(candidates?.[1]), term).toBeLessThanOrEqual(2);
  }
});
