/** The rate of requests: smooth, exact, and as its headers say. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { ProblemError } from '../src/http/problems.ts';
import { RateLimit } from '../src/http/rate-limit.ts';

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Answer {
  accepted: boolean;
  r: number;
  t: number;
  retryAfter: number | undefined;
}

function ask(rate: RateLimit, who = 'key'): Answer {
  let headers: Record<string, string>;
  let accepted = true;
  try {
    headers = rate.take(who, 'reads');
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.code).toBe('rate-limited');
    headers = error.headers;
    accepted = false;
  }
  const [, r, t] = /^"reads";r=(\d+);t=(\d+)$/.exec(headers['ratelimit']!)!;
  const retry = headers['retry-after'];
  return {
    accepted,
    r: Number(r),
    t: Number(t),
    retryAfter: retry === undefined ? undefined : Number(retry),
  };
}

/** How many of so many requests at once are accepted. */
function acceptedOf(rate: RateLimit, count: number): number {
  let accepted = 0;
  for (let i = 0; i < count; i += 1) {
    try {
      rate.take('key', 'reads');
      accepted += 1;
    } catch {
      // Refused.
    }
  }
  return accepted;
}

/** What the policy header promises. */
function policyOf(perMinute: number): { q: number; w: number } {
  const header = new RateLimit({ reads: perMinute }).take('someone', 'reads')['ratelimit-policy']!;
  const [, q, w] = /^"reads";q=(\d+);w=(\d+)$/.exec(header)!;
  return { q: Number(q), w: Number(w) };
}

const perMinute = fc.oneof(fc.integer({ min: 1, max: 130 }), fc.constantFrom(600, 100_000_000));
const start = fc.double({ min: 0, max: 1e12, noNaN: true });
/** Milliseconds between two requests: bursts, the pace of the limit, pauses. */
const gaps = (rate: number) =>
  fc.array(
    fc.oneof(
      fc.constant(0),
      fc.double({ min: 0, max: (2 * 60_000) / rate, noNaN: true }),
      fc.double({ min: 0, max: 70_000, noNaN: true }),
    ),
    { maxLength: 60 },
  );
const scenario = fc
  .tuple(perMinute, start)
  .chain(([rate, start]) => gaps(rate).map((gaps) => ({ rate, start, gaps })));
const runs = { numRuns: 1_000 };

/** Sends the requests of a scenario, and returns when those that were accepted came. */
function play(rate: RateLimit, { start, gaps }: { start: number; gaps: number[] }): number[] {
  now = start;
  const accepted: number[] = [];
  for (const gap of gaps) {
    now += gap;
    if (ask(rate).accepted) accepted.push(now);
  }
  return accepted;
}

describe('at any rate, and for any times of requests', () => {
  test('no span of time holds more requests than the quota and what the rate adds in that time', () => {
    fc.assert(
      fc.property(scenario, (case_) => {
        const accepted = play(new RateLimit({ reads: case_.rate }), case_);
        const { q } = policyOf(case_.rate);
        let busiest = 0;
        for (const [i, from] of accepted.entries()) {
          for (const [j, to] of accepted.entries()) {
            // Times are rounded down to milliseconds.
            const most = q + ((to - from + 1) * case_.rate) / 60_000;
            if (j >= i) busiest = Math.max(busiest, (j - i + 1) / most);
          }
        }
        expect(busiest).toBeLessThanOrEqual(1);
      }),
      runs,
    );
  });

  test('the headers are true: r more requests are accepted now, and one more after t seconds', () => {
    fc.assert(
      fc.property(scenario, (case_) => {
        const rate = new RateLimit({ reads: case_.rate });
        play(rate, case_);
        const { r, t, accepted, retryAfter } = ask(rate);
        if (r > 2_000) return; // The same rule, too many requests to send.
        expect(retryAfter).toBe(accepted ? undefined : t);
        expect(t).toBeGreaterThan(0);
        expect(acceptedOf(rate, r)).toBe(r);
        const refused = ask(rate);
        expect(refused).toEqual({ accepted: false, r: 0, t, retryAfter: t });
        const from = Math.floor(now);
        now = from + 1_000 * t;
        expect(ask(rate).accepted, 'after Retry-After').toBe(true);
      }),
      runs,
    );
  });

  test('Retry-After is no longer than necessary', () => {
    fc.assert(
      fc.property(scenario, (case_) => {
        const rate = new RateLimit({ reads: case_.rate });
        play(rate, case_);
        if (case_.rate > 1_000) return; // Never as much as a second.
        acceptedOf(rate, policyOf(case_.rate).q);
        const answer = ask(rate);
        expect(answer.accepted).toBe(false);
        if (answer.t === 1) return;
        now = Math.floor(now) + 1_000 * (answer.t - 1);
        expect(ask(rate).accepted).toBe(false);
      }),
      runs,
    );
  });

  test('requests at the pace of the rate are never refused', () => {
    fc.assert(
      fc.property(perMinute, start, fc.integer({ min: 1, max: 200 }), (perMinute, start, count) => {
        const rate = new RateLimit({ reads: perMinute });
        let accepted = 0;
        for (let i = 0; i < count; i += 1) {
          now = start + i * Math.ceil(60_000 / perMinute + 1);
          accepted += acceptedOf(rate, 1);
        }
        expect(accepted).toBe(count);
      }),
      runs,
    );
  });

  test('the whole quota is accepted at once after the time of the policy, and no more', () => {
    fc.assert(
      fc.property(scenario, (case_) => {
        const { q, w } = policyOf(case_.rate);
        if (q > 1_000) return;
        const rate = new RateLimit({ reads: case_.rate });
        play(rate, case_);
        now = Math.floor(now) + 1_000 * w;
        expect(ask(rate).r).toBe(q - 1);
        expect(acceptedOf(rate, q)).toBe(q - 1);
      }),
      runs,
    );
  });
});

test.each([
  [3_000, '"reads";q=500;w=10'],
  [60, '"reads";q=10;w=10'],
  [59, '"reads";q=59;w=60'],
  [1, '"reads";q=1;w=60'],
])('%i requests a minute are announced as %s', (perMinute, policy) => {
  expect(new RateLimit({ reads: perMinute }).take('key', 'reads')['ratelimit-policy']).toBe(policy);
});

test('keys do not share a quota, and 0 means no limit and no headers', () => {
  const rate = new RateLimit({ reads: 1, searches: 0 });
  expect(ask(rate, 'one').accepted).toBe(true);
  expect(ask(rate, 'one').accepted).toBe(false);
  expect(ask(rate, 'two').accepted).toBe(true);
  for (let i = 0; i < 3; i += 1) expect(rate.take('one', 'searches')).toEqual({});
});

test('checking counts nothing', () => {
  const rate = new RateLimit({ reads: 1 });
  for (let i = 0; i < 3; i += 1) rate.check('key', 'reads');
  expect(ask(rate).accepted).toBe(true);
  expect(() => rate.check('key', 'reads')).toThrow(ProblemError);
});

test('forgetting keys that are no longer in use changes no answer', () => {
  const rate = new RateLimit({ reads: 2 });
  now = 1e9;
  for (let i = 0; i < 5_000; i += 1) {
    now += 10;
    expect(ask(rate, `key ${i}`).accepted).toBe(true);
  }
  // Keys of the last minute still owe what they used.
  expect(ask(rate, 'key 4999')).toMatchObject({ accepted: true, r: 0 });
  expect(ask(rate, 'key 4999').accepted).toBe(false);
  expect(ask(rate, 'key 0')).toMatchObject({ accepted: true, r: 1 });
});
