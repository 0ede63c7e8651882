/** One table declares the columns. */
import { toCustomer, type Customer } from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';
import list from '@clientele/contract/fixtures/list.json' with { type: 'json' };
import { expect, test, vi } from 'vitest';
import { columns, listColumns } from '../src/customers/columns.tsx';
import { csvWriter } from '../src/customers/csv.ts';
import { describeCustomer } from '../src/customers/customer-facts.ts';
import { sortFields } from '../src/filters.ts';
import { makeText } from '../src/text/text.ts';

const text = makeText('en', 'en-GB', 'EUR');
const customer = toCustomer(buildCustomer(list.data[0]));
const fields = Object.keys(customer) as (keyof Customer)[];

const changed = (value: Customer[keyof Customer]) => {
  if (value instanceof Date) return new Date(value.getTime() + 86_400_000);
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : `${String(value)}0`;
};

test('every field of a customer is a column, with a label in both languages', () => {
  expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(fields));
  for (const language of ['en', 'de'] as const) {
    const labels = columns.map(({ label }) => makeText(language, language, 'EUR').t(label));
    expect(new Set(labels).size).toBe(columns.length);
  }
});

test.each(fields)('%s is in what is copied, and in the CSV of both formats', (field) => {
  vi.stubGlobal('location', { origin: 'https://console.example' });
  const other: Customer = { ...customer, [field]: changed(customer[field]) };
  expect(describeCustomer(other, text)).not.toBe(describeCustomer(customer, text));
  for (const format of ['raw', 'spreadsheet'] as const) {
    const { line } = csvWriter(format, text);
    expect(line(other)).not.toBe(line(customer));
  }
  vi.unstubAllGlobals();
});

test('the last cell of a line of CSV is never empty', () => {
  const empty = { ...customer, phone: null, company: null, lastOrderAt: null };
  expect(csvWriter('spreadsheet', text).line(empty)).not.toMatch(/[,;](""|)\r\n$/);
});

test('every field that lists can be sorted by has a column that sorts', () => {
  const sorts = listColumns.flatMap(({ sort }) => sort ?? []);
  expect(sorts.toSorted()).toEqual(sortFields.toSorted());
});
