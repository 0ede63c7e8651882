import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeText } from '../src/text/text.ts';

const english = makeText('en', 'en-GB', 'EUR');
const german = makeText('de', 'de-DE', 'EUR');

test('two times on the same calendar date have the same age', () => {
  const hour = fc.integer({ min: 0, max: 86_399_999 });
  fc.assert(
    fc.property(hour, hour, hour, fc.integer({ min: 0, max: 5_000 }), (a, b, now, daysBefore) => {
      const today = new Date(2026, 9, 31).getTime();
      const date = new Date(2026, 9, 31 - daysBefore).getTime();
      const [early, late] = [a, b].map((ms) => new Date(date + Math.min(ms, 82_000_000)));
      const at = today + Math.min(now, 82_000_000);
      expect(english.age(early!, at)).toBe(english.age(late!, at));
    }),
  );
});

test.each([
  [new Date(2026, 9, 31, 0, 5), 'today', 'heute'],
  [new Date(2026, 9, 30, 23, 55), 'yesterday', 'gestern'],
  [new Date(2026, 9, 17, 23), '14 days ago', 'vor 14 Tagen'],
  [new Date(2026, 8, 30), '1 month ago', 'vor 1 Monat'],
  [new Date(2025, 10, 1), '11 months ago', 'vor 11 Monaten'],
  [new Date(2025, 9, 31), '1 year ago', 'vor 1 Jahr'],
  [new Date(2019, 0, 1), '7 years ago', 'vor 7 Jahren'],
])('%s is %s on 31 October 2026', (at, inEnglish, inGerman) => {
  const now = new Date(2026, 9, 31, 0, 10).getTime();
  expect(english.age(at, now)).toBe(inEnglish);
  expect(german.age(at, now)).toBe(inGerman);
});

test('a customer created on a clock ahead of this one is from today, not from the future', () => {
  const now = new Date(2026, 9, 31, 23, 59).getTime();
  expect(english.age(new Date(now + 120_000), now)).toBe('today');
});

test('one second is a second', () => {
  expect(english.t('signIn.wait', { count: 1 })).toBe('Wait 1 second.');
  expect(english.t('signIn.wait', { count: 2 })).toBe('Wait 2 seconds.');
  expect(german.t('signIn.wait', { count: 1 })).toBe('Warten Sie 1 Sekunde.');
  expect(german.t('signIn.wait', { count: 2 })).toBe('Warten Sie 2 Sekunden.');
});
