import type { Timeline, TimelineUnit } from '@clientele/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  barsPath,
  joinedIn,
  joinPeriods,
  pageOfPeriod,
  pageSpan,
  periodsOf,
} from '../src/customers/periods.ts';
import { periodText } from '../src/text/periods.ts';

/** Monthly, from the oldest to the newest. */
function monthly(...counts: number[]): Timeline {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let above = total;
  const buckets = counts.map((count, index) => {
    above -= count;
    return { from: new Date(Date.UTC(2024, index)), count, above };
  });
  return { total, exact: true, unit: 'month', buckets: buckets.toReversed() };
}

test('periods go from the oldest to the newest, each up to the next', () => {
  const periods = periodsOf(monthly(3, 0, 5));
  expect(periods.map(({ count }) => count)).toEqual([3, 0, 5]);
  expect(
    periods.map(({ from, to }) => [from, to].map((at) => at.toISOString().slice(0, 10))),
  ).toEqual([
    ['2024-01-01', '2024-02-01'],
    ['2024-02-01', '2024-03-01'],
    ['2024-03-01', '2024-04-01'],
  ]);
});

test.each<[TimelineUnit, string, string, string]>([
  [
    'hour',
    '2024-03-31T23:00:00Z',
    '2024-04-01T00:00:00Z',
    '31 Mar 2024, 23:00 UTC – 1 Apr 2024, 00:00 UTC',
  ],
  ['day', '2024-02-28T00:00:00Z', '2024-02-29T00:00:00Z', '28 Feb 2024'],
  ['week', '2024-02-26T00:00:00Z', '2024-03-04T00:00:00Z', '26 Feb – 3 Mar 2024'],
  ['month', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z', 'February 2024'],
  ['quarter', '2024-10-01T00:00:00Z', '2025-01-01T00:00:00Z', 'Oct – Dec 2024'],
  ['year', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', '2024'],
])('a period of one %s ends at the right time and has a name', (unit, from, to, name) => {
  const buckets = [{ from: new Date(from), count: 1, above: 0 }];
  const [period] = periodsOf({ total: 1, exact: true, unit, buckets });
  expect(period!.to).toEqual(new Date(to));
  expect(
    periodText('en-GB', unit, period!.from, period!.to).replaceAll(
      /[\s\u2009]*–[\s\u2009]*/g,
      ' – ',
    ),
  ).toBe(name);
});

test('several periods together have all their customers, in any order of the ends', () => {
  const periods = periodsOf(monthly(3, 4, 5, 6));
  const expected = { from: periods[1]!.from, to: periods[2]!.to, count: 9, above: 6 };
  expect(joinPeriods(periods, 1, 2)).toEqual(expected);
  expect(joinPeriods(periods, 2, 1)).toEqual(expected);
});

describe('the page of a period', () => {
  test('is where its newest customer is listed', () => {
    const periods = periodsOf(monthly(30, 0, 45));
    expect(periods.map((period) => pageOfPeriod(period, 75, 25))).toEqual([2, 2, 1]);
  });

  test('exists even if the oldest period has no customers', () => {
    const [oldest] = periodsOf(monthly(0, 50));
    expect(pageOfPeriod(oldest!, 50, 25)).toBe(2);
  });
});

describe('where a page lies', () => {
  test('the first at the right end, the last at the left', () => {
    const periods = periodsOf(monthly(50, 50));
    expect(pageSpan(periods, 1, 25)).toEqual({ from: 0.75, to: 1 });
    expect(pageSpan(periods, 4, 25)).toEqual({ from: 0, to: 0.25 });
  });

  test('across periods, and never in empty ones alone', () => {
    const periods = periodsOf(monthly(25, 0, 0, 25));
    expect(pageSpan(periods, 1, 25)).toEqual({ from: 0.75, to: 1 });
    expect(pageSpan(periods, 2, 25)).toEqual({ from: 0, to: 0.25 });
    expect(pageSpan(periods, 2, 20)).toEqual({ from: 0.25 - 0.15, to: 0.75 + 0.05 });
  });

  test('the pages of any timeline cover it from right to left without overlap', () => {
    const counts = fc
      .array(fc.nat(40), { minLength: 1, maxLength: 20 })
      .filter((all) => all.some(Boolean));
    fc.assert(
      fc.property(counts, fc.constantFrom(1, 10, 25), (all, perPage) => {
        const timeline = monthly(...all);
        const periods = periodsOf(timeline);
        const spans = Array.from({ length: Math.ceil(timeline.total / perPage) }, (_, index) =>
          pageSpan(periods, index + 1, perPage),
        );
        let left = 1;
        for (const { from, to } of spans) {
          expect(to).toBeLessThanOrEqual(left + 1e-9);
          expect(from).toBeLessThan(to);
          left = from;
        }
        expect(left).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('the filter for a period', () => {
  const [january] = periodsOf(monthly(3));

  test('keeps the other filters', () => {
    expect(joinedIn(january!, { verified: true })).toEqual({
      verified: true,
      joinedFrom: '2024-01-01',
      joinedTo: '2024-02-01',
    });
  });

  test('never shows more than the present one', () => {
    const present = { joinedFrom: '2024-01-10', joinedTo: '2024-01-20T10:00:00Z' };
    expect(joinedIn(january!, present)).toEqual(present);
  });
});

test('the highest bar is full, a single customer can be seen, and nobody has no bar', () => {
  expect(barsPath(periodsOf(monthly(1, 0, 1000)))).toBe('M0 100V94h.86V100zM2 100V0h.86V100z');
});
