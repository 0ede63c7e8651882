import { scopes } from '@clientele/contract';
import { expect, test } from 'vitest';
import { allowedBy } from '../src/session/allowed.ts';

const nothing = {
  list: false,
  search: false,
  open: false,
  export: false,
  contact: false,
  sort: [],
};

test.each([
  [[...scopes], { list: true, search: true, open: true, export: true, contact: true, sort: [] }],
  [[], nothing],
  [['customers:list'], { ...nothing, list: true }],
  [['customers:lookup'], { ...nothing, open: true }],
  [['customers:list', 'customers:search'], { ...nothing, list: true, search: true }],
  // The server refuses both without the scope of the list.
  [['customers:search', 'customers:export'], nothing],
  [['something:new'], nothing],
])('a session with %j is offered %j', (granted, allowed) => {
  expect(allowedBy(granted)).toEqual(allowed);
});

test('lists are sorted by what the server says, if there may be lists', () => {
  const fields = ['created_at', 'total_orders'];
  expect(allowedBy(['customers:list'], fields).sort).toEqual(fields);
  expect(allowedBy(['customers:lookup'], fields).sort).toEqual([]);
});
