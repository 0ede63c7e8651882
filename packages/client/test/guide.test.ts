import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { toCustomerOf } from '@clientele/client';
import { customer } from './directory.ts';

test('the guide lists the fields of a customer, and where they come from', async () => {
  const guide = await readFile(new URL('../../../docs/client.md', import.meta.url), 'utf8');
  const table = guide.slice(guide.indexOf('| `Customer` |'), guide.indexOf('| `hidden` |'));
  const rows = [...table.matchAll(/^\| `(\w+)` \| .* \| `(\w+)` \|$/gm)];
  const { hidden, ...model } = toCustomerOf({ data: customer(1), hidden: ['email_address'] });
  expect(hidden).toEqual(['email']);
  expect(rows.map(([, field]) => field)).toEqual(Object.keys(model));
  expect(rows.map(([, , wire]) => wire)).toEqual(Object.keys(customer(1)));
});
