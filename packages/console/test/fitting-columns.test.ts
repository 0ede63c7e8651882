import { expect, test } from 'vitest';
import { chosenColumns } from '../src/customers/columns.tsx';
import { fittingColumns } from '../src/customers/fitting-columns.ts';

const fitting = (chosen: readonly string[] | null, room: number): string[] =>
  fittingColumns(chosenColumns(chosen), room).map(({ name }) => name);

test.each([
  [
    1440,
    [
      'company',
      'email',
      'phone',
      'isVerified',
      'totalOrders',
      'lifetimeValue',
      'lastOrderAt',
      'createdAt',
    ],
  ],
  [
    1280,
    ['company', 'email', 'phone', 'isVerified', 'totalOrders', 'lifetimeValue', 'lastOrderAt'],
  ],
  [864, ['company', 'email', 'phone']],
  [390, ['company', 'email', 'phone', 'lifetimeValue']],
])('with %i pixels, the columns that support needs most are shown', (room, shown) => {
  expect(fitting(null, room)).toEqual(shown);
});

test('columns that are not chosen leave their room to others', () => {
  expect(fitting(['email', 'lifetimeValue', 'lastOrderAt'], 820)).toEqual([
    'email',
    'lifetimeValue',
    'lastOrderAt',
  ]);
});

test('a column is never shown instead of one that support needs more', () => {
  for (let room = 740; room < 1500; room += 1) {
    const shown = fitting(null, room);
    expect(shown.includes('phone') || !shown.includes('lifetimeValue'), `${room} px`).toBe(true);
  }
});
