/** A fault under load, and what clients and writers saw of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@clientele/sandbox/testing/cluster';
import { promised, stoodStill, strict } from '@clientele/sandbox/testing/machine';
import { choosePath, judge } from './fixed-customers.ts';
import type { Fleet } from './fleet.ts';
import { countOutcomes, percentile, startOpenLoad, type Sample } from './open-load.ts';
import { Writers } from './writers.ts';

export interface Seen {
  /** The answers to requests sent since the fault began. */
  samples: Sample[];
  /** The longest time without an acknowledged write, in milliseconds. */
  writeGapMs: number;
  /** The numbers of acknowledged writes that the leader does not have in the end. */
  lostWrites: number[];
}

export interface Running {
  samples: readonly Sample[];
  writers: Writers;
}

const perSecond = 50;

export interface UnderLoadOptions {
  /** Whether customers are written meanwhile. */
  writing?: boolean;
  seed?: number;
  /** Where requests are sent, if not to the balancer. */
  target?: string;
}

/**
 * Sends the load, injects a fault once the load is served without delay, and continues for two seconds after
 * `fault` has resolved.
 */
export async function underLoad(
  { cluster, url, keys }: Fleet,
  fault: (running: Running) => Promise<unknown>,
  { writing = true, seed = 1, target = url }: UnderLoadOptions = {},
): Promise<Seen> {
  await using writers = new Writers(cluster, writing ? cluster.nodes : []);
  const random = seeded(seed);
  await using load = startOpenLoad({
    url: target,
    keys,
    perSecond,
    choosePath: () => choosePath(random),
    judge: (response) => judge(response, writers),
  });
  await untilServedWell(load.samples);
  const from = performance.now();
  await fault({ samples: load.samples, writers });
  await sleep(2_000);
  const to = performance.now();
  await load.stop();
  return {
    samples: load.samples.filter(({ sentAt }) => sentAt >= from),
    writeGapMs: writers.longestGap(from, to),
    lostWrites: await writers.lost(),
  };
}

/** Other work on the machine must not be taken for an effect of the fault. */
export async function untilServedWell(samples: readonly Sample[]): Promise<void> {
  const last = () => samples.slice(-2 * perSecond);
  const slow = () =>
    percentile(
      last().map(({ ms }) => ms),
      0.95,
    );
  try {
    await until('the load is served without delay', 60_000, async () => {
      const good = last().every((each) => each.outcome === '200' || stoodStill(each));
      return good && samples.length >= 2 * perSecond && slow() < promised(200);
    });
  } catch (cause) {
    const seen = `${JSON.stringify(countOutcomes(last()))}, p95 ${Math.round(slow())} ms`;
    throw new Error(`This machine is too busy for the load, even without a fault: ${seen}`, {
      cause,
    });
  }
}

export const oldestAnswer = (samples: readonly Sample[]): number =>
  Math.max(0, ...samples.map(({ ageMs }) => ageMs ?? 0));

/** The client may try again. */
const isRefused = ({ outcome }: Sample): boolean => /^(429|503)/.test(outcome);

/**
 * What went wrong, in words: nothing if every read was answered, and rightly. Without STRICT_TIMES, reads that a busy
 * machine refused do not count while most are answered, nor those during which the machine stood still.
 */
export function failuresOf({ samples }: Seen): string[] {
  const isBusy = !strict && samples.filter(isRefused).length < samples.length / 2;
  const isExcused = (each: Sample): boolean => stoodStill(each) || (isBusy && isRefused(each));
  const { 200: _, ...failed } = countOutcomes(
    samples.filter((each) => each.outcome === '200' || !isExcused(each)),
  );
  return [
    ...Object.entries(failed).map(([outcome, count]) => `${count} × ${outcome}`),
    ...wrongAnswers(samples),
  ];
}

export const wrongAnswers = (samples: readonly Sample[]): string[] =>
  samples.filter(({ wrong }) => wrong !== undefined).map(({ path, wrong }) => `${path}: ${wrong}`);

/** Writes what was seen to standard output, for docs/reliability.md. */
export function report(fault: string, { samples, writeGapMs }: Seen, more: object = {}): void {
  const times = samples.map(({ ms }) => ms);
  const seconds = (ms: number): number => Math.round(ms) / 1_000;
  const figures = {
    fault,
    outcomes: countOutcomes(samples),
    p99Seconds: seconds(percentile(times, 0.99)),
    slowestSeconds: seconds(Math.max(...times)),
    writeGapSeconds: seconds(writeGapMs),
    oldestSeconds: seconds(oldestAnswer(samples)),
    ...more,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

/** A small generator of random numbers, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
