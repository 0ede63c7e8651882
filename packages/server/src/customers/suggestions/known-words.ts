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

interface KnownWord {
  word: string;
  folded: string;
  skeleton: string;
  /** Of the number of customers. */
  log: number;
}

/** Words of one length, and the letters of each: most words are ruled out by theirs. */
interface Group {
  words: KnownWord[];
  letters: number[];
}

export class KnownWords {
  /** By length of the folded word. */
  readonly #byLength: Group[] = Array.from({ length: longestWord + 1 }, () => ({
    words: [],
    letters: [],
  }));
  readonly #bySkeleton = new Map<string, KnownWord[]>();
  /** All folded words, to look for parts of them. */
  #text = '';
  #size = 0;

  private constructor() {}

  /** The most frequent words first. Leaves room for requests in between. */
  static async of(words: readonly WordCount[]): Promise<KnownWords> {
    const known = new KnownWords();
    const texts = new Set<string>();
    for (const [i, { word, count }] of words.entries()) {
      if (i % atOnce === atOnce - 1) await nextTurn();
      const folded = fold(word);
      // The first spelling is the most frequent one.
      if (!isWord.test(word) || texts.has(folded)) continue;
      if (folded.length < shortestWord || folded.length > longestWord) continue;
      texts.add(folded);
      known.#add({ word, folded, skeleton: skeleton(folded), log: Math.log(count) });
    }
    known.#text = ` ${[...texts].join(' ')}`;
    return known;
  }

  get size(): number {
    return this.#size;
  }

  #add(known: KnownWord): void {
    const { words, letters } = this.#byLength[known.folded.length]!;
    words.push(known);
    letters.push(lettersOf(known.folded));
    const alike = this.#bySkeleton.get(known.skeleton);
    if (alike) alike.push(known);
    else this.#bySkeleton.set(known.skeleton, [known]);
    this.#size += 1;
  }

  /** Whether a search for this word alone matches one of them: short ones at the start, others anywhere. */
  has(word: string): boolean {
    const folded = fold(word);
    return this.#text.includes(folded.length < shortestWord ? ` ${folded}` : folded);
  }

  /** The closest words, the best one first, without the word itself. */
  closest(word: string, most: number): Candidate[] {
    const folded = fold(word);
    if (folded.length < shortestWord || folded.length > longestWord) return [];
    const sound = skeleton(folded);
    const steps = distancesFrom(folded);
    const soundSteps = distancesFrom(sound);
    const reach = folded.length < 5 ? 1 : folded.length < 9 ? 2 : 3;
    const found: Candidate[] = [];
    const consider = (known: KnownWord, allowed: number): void => {
      const away = steps(known.folded);
      if (away > allowed || away === 0) return;
      const sounds = Math.min(2, soundSteps(known.skeleton));
      const start = folded[0] === known.folded[0] ? 0 : weights.start;
      const score = known.log - weights.step * away - weights.sound * sounds - start;
      found.push({ word: known.word, score });
    };
    for (const known of this.#bySkeleton.get(sound) ?? []) consider(known, reach + 1);
    for (const known of this.#nearby(folded, reach)) {
      if (known.skeleton !== sound) consider(known, reach);
    }
    return found.toSorted((a, b) => b.score - a.score).slice(0, most);
  }

  /** The words that may be this close, by their length and letters: a step takes one letter and brings one. */
  *#nearby(folded: string, reach: number): Generator<KnownWord> {
    const letters = lettersOf(folded);
    const to = Math.min(longestWord, folded.length + reach);
    for (let length = Math.max(1, folded.length - reach); length <= to; length += 1) {
      const group = this.#byLength[length]!;
      for (const [i, other] of group.letters.entries()) {
        if (bits(other & ~letters) > reach || bits(letters & ~other) > reach) continue;
        yield group.words[i]!;
      }
    }
  }
}

/** The set of its letters, as bits. Letters may share one. */
function lettersOf(word: string): number {
  let set = 0;
  for (let i = 0; i < word.length; i += 1) set |= 1 << (word.charCodeAt(i) & 31);
  return set;
}

/** How many bits are set. */
function bits(set: number): number {
  let n = set - ((set >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return (((n + (n >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24;
}
