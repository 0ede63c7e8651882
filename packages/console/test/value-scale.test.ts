import { expect, test } from 'vitest';
import { shareOf } from '../src/customers/value-scale.ts';

test('the length of a bar depends on its amount only: each quarter is ten times the one before', () => {
  expect([100, 1000, 10_000, 100_000].map(shareOf)).toEqual([0.25, 0.5, 0.75, 1]);
});

test('an amount outside the scale has a bar too, and only zero has none', () => {
  expect(shareOf(0)).toBe(0);
  expect(shareOf(0.01)).toBeGreaterThan(0);
  expect(shareOf(9_876_543)).toBe(1);
});

test('a refund has the bar of its size', () => {
  expect(shareOf(-250)).toBe(shareOf(250));
});
