/** The words of a sample of customers, and which of them are closest to a misspelt one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { distance, longestWord } from './distance.ts';
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

/** How many words are read before others get a turn. */
const atOnce = 200;

/** What a step of distance, a difference in sound and another first letter cost, in units of ln(frequency). */
const weights = { step: 4, sound: 2, start: 1 };

interface KnownWord {
  word: string;
  folded: string;
  skeleton: string;
  letters: number;
  /** Of the number of customers. */
  log: number;
}

export class KnownWords {
  /** By length of the folded word. */
  readonly #byLength: KnownWord[][] = Array.from({ length: longestWord + 1 }, () => []);
  /** All folded words, to look for parts of them. */
  readonly #text: string;
  readonly size: number;

  private constructor(known: ReadonlyMap<string, KnownWord>) {
    for (const each of known.values()) this.#byLength[each.folded.length]!.push(each);
    this.#text = ` ${[...known.keys()].join(' ')}`;
    this.size = known.size;
  }

  /** The most frequent words first. Leaves room for requests in between. */
  static async of(words: readonly WordCount[]): Promise<KnownWords> {
    const known = new Map<string, KnownWord>();
    for (const [i, { word, count }] of words.entries()) {
      if (i % atOnce === atOnce - 1) await nextTurn();
      const folded = fold(word);
      // The first spelling is the most frequent one.
      if (known.has(folded) || folded.length < shortestWord || folded.length > longestWord)
        continue;
      const letters = lettersOf(folded);
      known.set(folded, {
        word,
        folded,
        skeleton: skeleton(folded),
        letters,
        log: Math.log(count),
      });
    }
    return new KnownWords(known);
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
    const letters = lettersOf(folded);
    const reach = folded.length < 5 ? 1 : folded.length < 9 ? 2 : 3;
    const found: Candidate[] = [];
    const from = Math.max(1, folded.length - reach - 1);
    const to = Math.min(longestWord, folded.length + reach + 1);
    for (let length = from; length <= to; length += 1) {
      for (const known of this.#byLength[length]!) {
        // Each step changes two letters at most.
        if (bits(known.letters ^ letters) > 2 * reach + 2) continue;
        const sameSound = known.skeleton === sound;
        const allowed = sameSound ? reach + 1 : reach;
        const steps = distance(folded, known.folded, allowed);
        if (steps > allowed || steps === 0) continue;
        const sounds = sameSound ? 0 : Math.min(2, distance(sound, known.skeleton, 2));
        const start = folded[0] === known.folded[0] ? 0 : weights.start;
        const score = known.log - weights.step * steps - weights.sound * sounds - start;
        found.push({ word: known.word, score });
      }
    }
    return found.toSorted((a, b) => b.score - a.score).slice(0, most);
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
