import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hrefOf, readAddress, type Address } from '../src/address.ts';
import { namedFilters } from '../src/customers/filter-names.ts';
import { sortedBy } from '../src/customers/sorted-by.ts';
import { endAfter, hasFilters, lastDayOf, listKey, timeOf, type Filters } from '../src/filters.ts';
import { makeText } from '../src/text/text.ts';

const read = (query: string) => readAddress(new URL(`https://console.example/?${query}`))!.filters;
const list: Address = { search: '', filters: {}, page: 1, customer: null, alone: false };

const day = fc
  .date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('2100-01-01T00:00:00Z'),
    noInvalidDate: true,
  })
  .map((date) => timeOf(new Date(date.setUTCMinutes(0, 0, 0))));
const someFilters: fc.Arbitrary<Filters> = fc
  .record(
    {
      verified: fc.boolean(),
      hasOrders: fc.boolean(),
      joinedFrom: day,
      joinedTo: day,
      sort: fc.constantFrom('total_orders', '-last_order_at', 'created_at'),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter(
    ({ joinedFrom, joinedTo }) =>
      !joinedFrom || !joinedTo || new Date(joinedFrom) < new Date(joinedTo),
  );

describe('filters in the address', () => {
  test('any filters survive, with the search, the page and the open customer', () => {
    fc.assert(
      fc.property(someFilters, fc.boolean(), (filters, alone) => {
        const address = { search: 'anna', filters, page: 3, customer: 'c1', alone };
        expect(readAddress(new URL(hrefOf(address), 'https://console.example'))).toEqual(address);
      }),
    );
  });

  test('an address without filters is what it was before there were any', () => {
    expect(hrefOf({ ...list, search: 'anna', page: 2 })).toBe('/?search=anna&page=2');
    expect(hrefOf({ ...list, filters: { verified: false, joinedTo: '2024-04-01' } })).toBe(
      '/?verified=false&joinedTo=2024-04-01',
    );
  });

  test.each([
    'verified=yes',
    'hasOrders=1',
    'joinedFrom=yesterday',
    'joinedFrom=2024-02-30',
    'joinedFrom=2024-13-01',
    'joinedFrom=2024-03-01T25:00:00Z',
    'joinedTo=',
    'sort=name',
    'sort=-created_at',
    'joinedFrom=2024-03-02&joinedTo=2024-03-01',
    'joinedFrom=2024-03-01&joinedTo=2024-03-01',
  ])('%s is ignored', (query) => {
    expect(read(query)).toEqual({});
    expect(read(`${query}&hasOrders=true`.replace('hasOrders=1&', ''))).toEqual({
      hasOrders: true,
    });
  });
});

test('a last day is included, and the time after it is not', () => {
  expect(endAfter('2024-02-28')).toBe('2024-02-29');
  expect(lastDayOf('2024-03-01')).toBe('2024-02-29');
  expect(lastDayOf('2024-03-01T10:00:00Z')).toBe('2024-03-01');
});

test('the key of a list differs if the search or a filter does', () => {
  const key = (search: string, filters: Filters = {}) => listKey({ search, filters });
  expect(key('anna', { verified: true })).toBe(key('anna', { verified: true }));
  expect(
    new Set([
      key('anna'),
      key('bert'),
      key('anna', { verified: true }),
      key('anna', { verified: false }),
      key('anna', { hasOrders: true }),
      key('anna&verified=true'),
    ]).size,
  ).toBe(6);
});

describe('filters in words', () => {
  const english = makeText('en', 'en-GB', 'EUR');
  const german = makeText('de', 'de-DE', 'EUR');
  const names = (filters: Filters, text = english) =>
    // Ranges have thin spaces.
    namedFilters(filters, text).map(({ name }) => name.replaceAll(/\s?–\s?/g, '–'));

  test.each<[Filters, string[]]>([
    [{}, []],
    [{ verified: true, hasOrders: false }, ['Verified', 'No orders']],
    [{ verified: false, hasOrders: true }, ['Not verified', 'Has orders']],
    [{ joinedFrom: '2024-03-01', joinedTo: '2024-04-01' }, ['Joined 1–31 Mar 2024']],
    [{ joinedFrom: '2024-03-01', joinedTo: '2024-03-02' }, ['Joined 1 Mar 2024']],
    [{ joinedFrom: '2024-03-01' }, ['Joined since 1 Mar 2024']],
    [{ joinedTo: '2024-04-01' }, ['Joined until 31 Mar 2024']],
    [{ joinedTo: '2024-04-01T10:00:00Z' }, ['Joined before 1 Apr 2024, 10:00 UTC']],
  ])('%j', (filters, expected) => {
    expect(names(filters)).toEqual(expected);
  });

  test('an hour has its time and zone', () => {
    const filters = { joinedFrom: '2024-03-01T10:00:00Z', joinedTo: '2024-03-01T12:00:00Z' };
    expect(names(filters)).toEqual(['Joined 1 Mar 2024, 10:00–12:00 UTC']);
  });

  test('are translated', () => {
    expect(names({ verified: true, joinedFrom: '2024-03-01' }, german)).toEqual([
      'Verifiziert',
      'Kunde geworden ab 1. März 2024',
    ]);
  });

  test('each can be removed without the others', () => {
    const filters: Filters = { verified: true, joinedFrom: '2024-03-01', joinedTo: '2024-04-01' };
    expect(namedFilters(filters, english).map(({ others }) => others)).toEqual([
      { joinedFrom: '2024-03-01', joinedTo: '2024-04-01' },
      { verified: true },
    ]);
  });
});

describe('the order', () => {
  test('is descending first, then ascending, then newest first again, which is no order', () => {
    const first = sortedBy({ verified: true }, 'total_orders');
    expect(first).toEqual({ verified: true, sort: '-total_orders' });
    expect(sortedBy(first, 'total_orders')).toEqual({ verified: true, sort: 'total_orders' });
    expect(sortedBy({ sort: 'total_orders' }, 'total_orders')).toEqual({});
    expect(sortedBy(first, 'created_at')).toEqual({ verified: true });
    expect(sortedBy({}, 'created_at')).toEqual({ sort: 'created_at' });
  });

  test('makes another list, and is no filter', () => {
    expect(listKey({ search: '', filters: { sort: 'created_at' } })).not.toBe(
      listKey({ search: '', filters: {} }),
    );
    expect(hasFilters({ sort: 'created_at' })).toBe(false);
    expect(hasFilters({ sort: 'created_at', verified: false })).toBe(true);
  });
});
