import { expect, test } from 'vitest';
import { columnNames } from '../src/settings.ts';
import { fittingColumns } from '../src/customers/fitting-columns.ts';

test.each([
  [1440, ['company', 'email', 'phone', 'verified', 'orders', 'value', 'lastOrder', 'since']],
  [1280, ['company', 'email', 'phone', 'verified', 'orders', 'value', 'lastOrder']],
  [864, ['company', 'email', 'phone']],
  [390, ['company', 'email', 'phone', 'value']],
])('with %i pixels, the columns that support needs most are shown', (room, shown) => {
  expect(fittingColumns(columnNames, room)).toEqual(shown);
});

test('columns that are not chosen leave their room to others', () => {
  expect(fittingColumns(['email', 'value', 'lastOrder'], 820)).toEqual([
    'email',
    'value',
    'lastOrder',
  ]);
});

test('a column is never shown instead of one that support needs more', () => {
  for (let room = 740; room < 1500; room += 1) {
    const shown = fittingColumns(columnNames, room);
    expect(shown.includes('phone') || !shown.includes('value'), `${room} px`).toBe(true);
  }
});
