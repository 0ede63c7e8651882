/**
 * Searches to try instead of one that matches nobody, or few: a wrong record may have the same misspelling. They are
 * made of words that many customers share, which are drawn from the database and kept in memory only:
 * docs/decisions/suggestions.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits, type WireSuggestion } from '@clientele/contract';
import { inTrace, isUuid, type Queries } from '@clientele/directory';
import { drawWords, fewestCustomers } from './draw-words.ts';
import type { KnownWords } from './known-words.ts';
import { replacements } from './replacements.ts';

export interface Counts {
  /** Counts the matches of a search, exactly. */
  count(search: string): Promise<number>;
  /** The same, if the search was counted before and so takes a moment only. Else undefined. */
  countKnown(search: string): Promise<number | undefined>;
}

/** In milliseconds. */
const defaults = {
  /** How long after the start words are drawn: what requests wait for comes first. */
  firstMs: 2_000,
  everyMs: 3_600_000,
  /** How soon to try again if the database does not respond. */
  retryMs: 60_000,
  /** How long after an erasure. While erasures go on, an instance forgets every 30 seconds. */
  settleMs: 35_000,
  /** How often to look whether it is time. */
  lookMs: 500,
};

/** How many searches are counted for one request. */
const mostCounted = 10;
/** Once there is something to suggest, nothing more is counted after this long, in milliseconds. */
const longEnoughMs = 1_000;

export class Suggestions {
  readonly #upkeep: Queries;
  readonly #times: typeof defaults;
  #words: KnownWords | undefined;
  /** When to draw, on the monotonic clock. */
  #due: number;
  #drawing: AbortController | undefined;

  /** Words are drawn through the lane. */
  constructor(upkeep: Queries, times: Partial<typeof defaults> = {}) {
    this.#upkeep = upkeep;
    this.#times = { ...defaults, ...times };
    this.#due = performance.now() + this.#times.firstMs;
  }

  /** How many words are known. */
  get words(): number {
    return this.#words?.size ?? 0;
  }

  /** Draws words now and then, until the signal fires. */
  async upkeep(signal: AbortSignal): Promise<void> {
    const { lookMs, retryMs } = this.#times;
    while (!signal.aborted) {
      if (performance.now() >= this.#due) {
        await inTrace('draw words', () => this.draw(signal)).catch(() => {
          this.#due = Math.max(this.#due, performance.now() + retryMs);
        });
      }
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Draws words now. */
  async draw(signal: AbortSignal): Promise<void> {
    const drawing = new AbortController();
    this.#drawing = drawing;
    const words = await drawWords(this.#upkeep, AbortSignal.any([signal, drawing.signal]));
    if (drawing.signal.aborted) return;
    this.#words = words;
    this.#due = performance.now() + this.#times.everyMs;
  }

  /** Drops the words, which may be those of somebody who was erased. They are drawn again later. */
  forget(): void {
    this.#drawing?.abort();
    this.#words = undefined;
    this.#due = performance.now() + this.#times.settleMs;
  }

  /** The best one first; none if the search has more than a few matches, or there is no better idea. */
  async suggest(search: string, counts: Counts): Promise<WireSuggestion[]> {
    if (search === '' || isUuid(search)) return [];
    const matches = await counts.count(search);
    if (matches > limits.suggestions.maxMatches) return [];
    const words = this.#words;
    if (!words) return [];
    const started = performance.now();
    // A few wrong records have the misspelt word, too.
    const rare = matches === 0 ? 0 : limits.suggestions.maxMatches;
    const others = (await replacements(search, words, counts, rare)).slice(0, mostCounted);
    const known = await Promise.all(
      others.slice(0, limits.suggestions.max).map((other) => counts.countKnown(other)),
    );
    const found: WireSuggestion[] = [];
    // The rest one by one: a new count may keep the database busy.
    for (const [i, other] of others.entries()) {
      if (found.length > 0 && performance.now() > started + longEnoughMs) break;
      const total = known[i] ?? (await counts.count(other));
      // There may be fewer of them than when the words were drawn.
      if (total >= fewestCustomers && total > matches) found.push({ search: other, total });
      if (found.length === limits.suggestions.max) break;
    }
    return found;
  }
}
