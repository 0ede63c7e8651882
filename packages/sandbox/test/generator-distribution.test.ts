/** Benchmarks and demos need generated customers that are distributed like real ones. */
import type { WireCustomer } from '@clientele/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { customers } from './setup/customers.ts';

const share = <T>(items: readonly T[], holds: (item: T) => boolean) =>
  items.filter(holds).length / items.length;
function tally(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
const greatest = (counts: Map<string, number>) =>
  [...counts.values()].reduce((most, count) => Math.max(most, count), 0);

describe('generated customers are distributed like real ones', () => {
  let many: WireCustomer[];
  beforeAll(() => {
    many = customers(200_000);
  });

  test('all UUIDs are version 4 and different', () => {
    expect(share(many, ({ uuid }) => /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab]/.test(uuid))).toBe(
      1,
    );
    expect(new Set(many.map(({ uuid }) => uuid)).size).toBe(many.length);
  });

  test('a search for gmail matches about 30 %', () => {
    const found = share(many, (customer) =>
      [
        customer.full_name,
        customer.email_address,
        customer.company_name,
        customer.phone_number,
      ].some((text) => text?.toLowerCase().includes('gmail')),
    );
    expect(found).toBeGreaterThan(0.27);
    expect(found).toBeLessThan(0.33);
  });

  test('a few family names are common, most are rare', () => {
    const families = tally(
      many.map(({ full_name: name }) => name.slice(name.lastIndexOf(' ') + 1)),
    );
    const common = greatest(families) / many.length;
    expect(common).toBeGreaterThan(0.005);
    expect(common).toBeLessThan(0.02);
    expect(families.size).toBeGreaterThan(40_000);
    expect(share([...families.values()], (count) => count <= 2)).toBeGreaterThan(0.6);
  });

  test('a few companies have many customers, most have few', () => {
    const companies = tally(many.flatMap(({ company_name }) => company_name ?? []));
    expect(greatest(companies)).toBeGreaterThan(200);
    expect(companies.size).toBeGreaterThan(25_000);
    expect([...companies.keys()].join('')).toMatch(/(?=.*&)(?=.*%)(?=.*")(?=.*')(?=.*\\)(?=.*_)/s);
  });

  test('the last four digits of phone numbers are evenly distributed', () => {
    const lastFour = tally(
      many.flatMap(({ phone_number }) => phone_number?.replace(/\D/g, '').slice(-4) ?? []),
    );
    expect(lastFour.size).toBeGreaterThan(9900);
    expect(greatest(lastFour) / many.length).toBeLessThan(0.001);
  });

  test('phone numbers are written in many formats', () => {
    const ways = tally(many.flatMap(({ phone_number }) => phone_number?.replace(/\d/g, '9') ?? []));
    for (const way of [
      '(999) 999-9999',
      '+99999999999',
      '099 9999 9999',
      '99.99.99.99',
      '999/9999',
    ]) {
      const like = way.replaceAll('0', '9');
      expect(
        [...ways.keys()].some((found) => found.includes(like)),
        way,
      ).toBe(true);
    }
  });

  test.each<[string, number, number, (customer: WireCustomer) => boolean]>([
    ['no phone', 0.13, 0.17, ({ phone_number }) => phone_number === null],
    ['no company', 0.57, 0.63, ({ company_name }) => company_name === null],
    ['verified', 0.67, 0.73, ({ is_verified }) => is_verified],
    ['no orders', 0.25, 0.45, ({ total_orders }) => total_orders === 0],
    ['more than ten orders', 0.01, 0.1, ({ total_orders }) => total_orders > 10],
    ['more than a hundred', 0.0001, 0.01, ({ total_orders }) => total_orders > 100],
    ['refunded more than paid', 0.0005, 0.01, (customer) => customer.lifetime_value_cents < 0],
    ['an apostrophe', 0.002, 0.03, ({ full_name }) => full_name.includes("'")],
    ['a typographic apostrophe', 0.002, 0.03, ({ full_name }) => full_name.includes('’')],
    ['a hyphen', 0.005, 0.05, ({ full_name }) => full_name.includes('-')],
  ])('%s: between %f and %f of all customers', (_, least, most, holds) => {
    const found = share(many, holds);
    expect(found).toBeGreaterThan(least);
    expect(found).toBeLessThan(most);
  });

  test.each([
    ['Latin with accents', /[äöüßéèçñłşğåøæřůễạ]/],
    ['Cyrillic', /\p{Script=Cyrillic}/u],
    ['Greek', /\p{Script=Greek}/u],
    ['Arabic', /\p{Script=Arabic}/u],
    ['Hebrew', /\p{Script=Hebrew}/u],
    ['Han', /\p{Script=Han}/u],
    ['Katakana', /\p{Script=Katakana}/u],
    ['Hiragana', /\p{Script=Hiragana}/u],
    ['Hangul', /\p{Script=Hangul}/u],
    ['Devanagari', /\p{Script=Devanagari}/u],
    ['Thai', /\p{Script=Thai}/u],
  ])('there are names in %s', (_, script) => {
    expect(many.filter(({ full_name }) => script.test(full_name)).length).toBeGreaterThan(100);
  });

  test('more are created each year, more by day than by night, and a few in the same millisecond', () => {
    const years = tally(many.map(({ created_at }) => created_at.slice(0, 4)));
    for (let year = 2018; year <= 2025; year++) {
      expect(years.get(`${year}`), `${year}`).toBeGreaterThan(years.get(`${year - 1}`)!);
    }
    const hours = tally(many.map(({ created_at }) => created_at.slice(11, 13)));
    expect(Math.min(...hours.values()) / greatest(hours)).toBeLessThan(0.6);
    const ties = [...tally(many.map(({ created_at }) => created_at)).values()]
      .filter((count) => count > 1)
      .reduce((sum, count) => sum + count, 0);
    expect(ties / many.length).toBeGreaterThan(0.001);
    expect(ties / many.length).toBeLessThan(0.01);
  });
});
