/** Which words are close to a misspelt one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distance, longestWord } from '../src/customers/suggestions/distance.ts';
import { fold, skeleton } from '../src/customers/suggestions/fold.ts';
import { KnownWords } from '../src/customers/suggestions/known-words.ts';
import { replacements } from '../src/customers/suggestions/replacements.ts';

const far = 2 * longestWord;

describe('the distance of two words', () => {
  test.each([
    ['schmidt', 'schmidt', 0],
    ['shmidt', 'schmidt', 1],
    ['shcmidt', 'schmidt', 1],
    ['schmitt', 'schmidt', 1],
    ['johanson', 'johansson', 1],
    ['kristofer', 'christopher', 4],
    ['', 'anna', 4],
    ['ca', 'abc', 3],
  ])('%s and %s: %i', (a, b, steps) => {
    expect(distance(a, b, far)).toBe(steps);
  });

  const word = fc.string({ unit: fc.constantFrom(...'abcd'), maxLength: 8 });

  test('is the same both ways, zero for equal words only, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const steps = distance(a, b, far);
        expect(distance(b, a, far)).toBe(steps);
        expect(steps === 0).toBe(a === b);
        expect(steps).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(steps).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });

  test('with a limit, is the same up to it and one more beyond it', () => {
    fc.assert(
      fc.property(word, word, fc.nat(6), (a, b, most) => {
        expect(distance(a, b, most)).toBe(Math.min(distance(a, b, far), most + 1));
      }),
    );
  });
});

test('words are compared without case, accents and apostrophes', () => {
  expect(['Müller', 'Łukasz', 'Straßer', 'O’Brien', 'Søren'].map(fold)).toEqual([
    'muller',
    'lukasz',
    'strasser',
    'obrien',
    'soren',
  ]);
});

test.each([
  ['shmidt', 'schmitt'],
  ['kristofer', 'christopher'],
  ['filip', 'phillip'],
  ['yohan', 'johann'],
])('%s and %s sound alike', (a, b) => {
  expect(skeleton(a)).toBe(skeleton(b));
});

const wordsOf = (counts: Record<string, number>): Promise<KnownWords> =>
  KnownWords.of(
    Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([word, count]) => ({ word, count })),
  );

describe('the closest words', () => {
  test('are fewer steps away, sound alike, or are more frequent', async () => {
    const words = await wordsOf({
      schmidt: 900,
      schmitt: 200,
      smith: 800,
      anna: 5_000,
      müller: 700,
    });
    const closest = (word: string) => words.closest(word, 3).map((candidate) => candidate.word);
    expect(closest('shmidt')).toEqual(['schmidt', 'schmitt', 'smith']);
    expect(closest('shmitt').slice(0, 1)).toEqual(['schmitt']);
    expect(closest('mulller')).toEqual(['müller']);
    expect(closest('anan')).toEqual(['anna']);
  });

  test('never include the word itself, or any that is far away', async () => {
    const words = await wordsOf({ anna: 10, hannah: 10, constantine: 10 });
    expect(words.closest('ANNA', 5).map(({ word }) => word)).not.toContain('anna');
    expect(words.closest('zzzzzz', 5)).toEqual([]);
    expect(words.closest('an', 5)).toEqual([]);
    expect(words.closest('x'.repeat(200), 5)).toEqual([]);
  });

  test('any word with one letter too few is close to the word', async () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghij'),
      minLength: 6,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(letters, fc.nat(5), async (word, at) => {
        const words = await wordsOf({ [word]: 5 });
        const wrong = word.slice(0, at) + word.slice(at + 1);
        expect(words.closest(wrong, 1).map((candidate) => candidate.word)).toEqual([word]);
      }),
    );
  });
});

describe('a search with words replaced', () => {
  const nobody = () => Promise.resolve(0);
  const replaced = async (search: string, count: (text: string) => Promise<number> = nobody) =>
    replacements(search, await wordsOf({ schmidt: 900, johansson: 300, anna: 5_000 }), count);

  test('keeps the words that occur and everything between words', async () => {
    expect((await replaced('anna  shmidt-x9'))[0]).toBeUndefined();
    expect((await replaced('anna, shmidt'))[0]).toBe('anna, schmidt');
    expect((await replaced('shmidt & johanson'))[0]).toBe('schmidt & johansson');
  });

  test('keeps a word that only other fields have', async () => {
    const inAddresses = (text: string) => Promise.resolve(text === 'example' ? 3 : 0);
    expect((await replaced('shmidt example', inAddresses))[0]).toBe('schmidt example');
  });

  test('where all words occur but not together, replaces one of them', async () => {
    const words = await wordsOf({ john: 900, jon: 5, schmidt: 100 });
    expect((await replacements('jon schmidt', words, nobody))[0]).toBe('john schmidt');
  });

  test('numbers and addresses are left as they are', async () => {
    expect(await replaced('+49 170')).toEqual([]);
    expect(await replaced('shmidt@example.com')).toEqual([]);
  });
});
