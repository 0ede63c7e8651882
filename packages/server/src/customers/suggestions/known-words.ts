/** The words of a sample of customers, and which of them are closest to a misspelt one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { distancesFrom, longestWord } from './distance.ts';
import { fold, skeleton } from './fold.ts';

/** A word as customers mostly spell it, and how many of the sample have it. */
export interface WordCount {
  word: string;
  count: number;
}

export interface Candidate {
  word: string;
  /** Higher is better; comparable between words of one search. */
  score: number;
}

/** Shorter words are not replaced: too many others are close. */
export const shortestWord = 3;

/** What customers are called is not always a word: some have digits. */
const isWord = /^[\p{L}\p{M}]+$/u;

/** How many words are read before others get a turn. */
const atOnce = 200;

/** What a step of distance, a difference in sound and another first letter cost, in units of ln(frequency). */
const weights = { step: 4, sound: 2, start: 1 };

/** Words with folds of one length. Megabytes less than an object for each word. */
interface Group {
  length: number;
  /** The folds, with a space before each. */
  text: string;
  /** Most words are ruled out by their letters. */
  letters: Int32Array;
  /** The logarithms of their counts. */
  logs: Float32Array;
}

export class KnownWords {
  readonly size: number;
  readonly #groups: readonly Group[];
  /** Words that are not their own folds, by fold. */
  readonly #spellings: ReadonlyMap<string, string>;

  private constructor(groups: readonly Group[], spellings: ReadonlyMap<string, string>) {
    this.#groups = groups;
    this.#spellings = spellings;
    this.size = groups.reduce((size, { logs }) => size + logs.length, 0);
  }

  /** The most frequent words first. Leaves room for requests in between. */
  static async of(words: Iterable<WordCount>): Promise<KnownWords> {
    const counts = new Map<string, number>();
    const spellings = new Map<string, string>();
    let read = 0;
    for (const { word, count } of words) {
      read += 1;
      if (read % atOnce === 0) await nextTurn();
      const folded = fold(word);
      // The first spelling is the most frequent one.
      if (!isWord.test(word) || counts.has(folded)) continue;
      if (folded.length < shortestWord || folded.length > longestWord) continue;
      counts.set(folded, count);
      if (folded !== word) spellings.set(folded, word);
    }
    return new KnownWords(groupsOf(counts), spellings);
  }

  /** Whether a search for this word alone matches one of them: short ones at the start, others anywhere. */
  has(word: string): boolean {
    const folded = fold(word);
    const part = folded.length < shortestWord ? ` ${folded}` : folded;
    return this.#groups.some(({ text }) => text.includes(part));
  }

  /** The closest words, the best one first, without the word itself. */
  closest(word: string, most: number): Candidate[] {
    const folded = fold(word);
    if (folded.length < shortestWord || folded.length > longestWord) return [];
    const sound = skeleton(folded);
    const steps = distancesFrom(folded);
    const soundSteps = distancesFrom(sound);
    // One step more for words that sound the same.
    const reach = folded.length < 5 ? 1 : folded.length < 9 ? 2 : 3;
    const wanted = lettersOf(folded);
    const found: Candidate[] = [];
    for (const { length, text, letters, logs } of this.#groups) {
      if (Math.abs(length - folded.length) > reach + 1) continue;
      for (let i = 0; i < letters.length; i += 1) {
        if (lettersApart(letters[i]!, wanted) > reach + 1) continue;
        const at = i * (length + 1) + 1;
        const away = steps(text, at, at + length);
        if (away > reach + 1 || away === 0) continue;
        const known = text.slice(at, at + length);
        const sounds = Math.min(2, soundSteps(skeleton(known)));
        if (away > reach && sounds > 0) continue;
        const start = folded[0] === known[0] ? 0 : weights.start;
        const score = logs[i]! - weights.step * away - weights.sound * sounds - start;
        found.push({ word: this.#spellings.get(known) ?? known, score });
      }
    }
    return found.toSorted((a, b) => b.score - a.score).slice(0, most);
  }
}

function groupsOf(counts: ReadonlyMap<string, number>): Group[] {
  const folds = [...counts.keys()];
  return Array.from(
    Map.groupBy(folds, (folded) => folded.length),
    ([length, ofLength]) => ({
      length,
      text: ` ${ofLength.join(' ')}`,
      letters: Int32Array.from(ofLength, lettersOf),
      logs: Float32Array.from(ofLength, (folded) => Math.log(counts.get(folded)!)),
    }),
  );
}

/** The set of its letters, as bits. Letters may share one. */
function lettersOf(word: string): number {
  let set = 0;
  for (let i = 0; i < word.length; i += 1) set |= 1 << (word.charCodeAt(i) & 31);
  return set;
}

/** How many steps their letters take at least: a step takes one letter and brings one. */
const lettersApart = (a: number, b: number): number => Math.max(bits(a & ~b), bits(b & ~a));

/** How many bits are set. */
function bits(set: number): number {
  let n = set - ((set >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return (((n + (n >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24;
}
