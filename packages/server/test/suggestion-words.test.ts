/** Which words are close to a misspelt one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distancesFrom, longestWord } from '../src/customers/suggestions/distance.ts';
import { fold, skeleton } from '../src/customers/suggestions/fold.ts';
import { KnownWords } from '../src/customers/suggestions/known-words.ts';
import { replacements } from '../src/customers/suggestions/replacements.ts';

const distance = (a: string, b: string): number => distancesFrom(a)(b);

/** By definition, from the ends of the words. */
function slowDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const replaced = slowDistance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
  const removed = 1 + Math.min(slowDistance(a.slice(1), b), slowDistance(a, b.slice(1)));
  const isSwap = a.length > 1 && a[0] === b[1] && a[1] === b[0];
  const swapped = isSwap ? 1 + slowDistance(a.slice(2), b.slice(2)) : Infinity;
  return Math.min(replaced, removed, swapped);
}

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
    expect(distance(a, b)).toBe(steps);
  });

  test('is the least number of steps', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcß'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(slowDistance(a, b));
      }),
    );
  });

  test('of the longest words, is the same both ways, and that of what differs', () => {
    const long = fc.string({
      unit: fc.constantFrom(...'abcd'),
      minLength: longestWord,
      maxLength: longestWord,
    });
    const part = fc.string({ unit: fc.constantFrom(...'xyz'), maxLength: 4 });
    fc.assert(
      fc.property(long, part, part, (word, a, b) => {
        const [start, end] = [word.slice(0, 14), word.slice(14, -4)];
        const [one, other] = [start + a + end, start + b + end];
        expect(distance(one, other)).toBe(slowDistance(a, b));
        expect(distance(word, one)).toBe(distance(one, word));
        expect(distance(word, word)).toBe(0);
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
    replacements(search, await wordsOf({ schmidt: 900, johansson: 300, anna: 5_000 }), { count });

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
    expect((await replacements('jon schmidt', words, { count: nobody }))[0]).toBe('john schmidt');
  });

  test('nothing is counted for a search of many words', async () => {
    const texts = Array.from({ length: 9 }, (_, i) => `unknown${'x'.repeat(i)}`);
    const counted: string[] = [];
    const count = (text: string) => Promise.resolve(counted.push(text) && 0);
    expect(await replaced(`shmidt ${texts.join(' ')}`, count)).toEqual([]);
    expect(counted).toEqual([]);
  });

  test('numbers and addresses are left as they are', async () => {
    expect(await replaced('+49 170')).toEqual([]);
    expect(await replaced('shmidt@example.com')).toEqual([]);
  });
});
