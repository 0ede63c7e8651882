/** The CSV that the console saves. */
import type { Customer } from '@clientele/client';
import { guard, spreadsheetLine } from '@clientele/contract/spreadsheet';
import { expect, test } from 'vitest';
import { csvLine } from '../src/customers/csv.ts';

const customer: Customer = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Anna;=HYPERLINK("http://example.com")',
  email: '=1+1@mail.example',
  phone: '+1 555 0100',
  company: 'Line\n＝1+1',
  isVerified: true,
  totalOrders: 2,
  lifetimeValue: -12.5,
  lastOrderAt: null,
  createdAt: new Date('2026-01-31T09:05:00.007Z'),
};
const { id, name, email, phone, company } = customer;
const others = ['true', '2', '-12.50', null, '2026-01-31T09:05:00.007Z'];

test('for spreadsheets, text has the guard of clientele export', () => {
  const texts = [name, email, phone!, company!].map(guard);
  expect(texts).toEqual([
    `'Anna;'=HYPERLINK("http://example.com")`,
    `'${email}`,
    `'${phone}`,
    company,
  ]);
  expect(csvLine(customer, 2, 'spreadsheet')).toBe(
    `${spreadsheetLine([id, ...texts, ...others])}\r\n`,
  );
});

test('raw, every text is as it is', () => {
  expect(csvLine(customer, 2, 'raw')).toBe(
    `${id},"Anna;=HYPERLINK(""http://example.com"")",${email},${phone},"${company}",` +
      'true,2,-12.50,,2026-01-31T09:05:00.007Z\r\n',
  );
});
