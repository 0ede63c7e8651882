/** The CSV that the console saves. */
import type { Customer } from '@clientele/client';
import { guard, guardPhone, spreadsheetLine } from '@clientele/contract/spreadsheet';
import { expect, test } from 'vitest';
import { csvName, csvWriter } from '../src/customers/csv.ts';
import { makeText } from '../src/text/text.ts';

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
const english = makeText('en', 'en-GB', 'EUR');
const german = makeText('de', 'de-DE', 'EUR');

test('for spreadsheets, text has the guard of clientele export', () => {
  const texts = [name, email, phone!, company!].map(guard);
  const others = ['true', '2', '-12.50', null, '2026-01-31T09:05:00.007Z'];
  expect(texts).toEqual([
    `'Anna;'=HYPERLINK("http://example.com")`,
    `'${email}`,
    `'${phone}`,
    company,
  ]);
  expect(csvWriter('spreadsheet', english).line(customer)).toBe(
    `${spreadsheetLine([id, ...texts, ...others])}\r\n`,
  );
});

test('where numbers have a decimal comma, cells are separated by semicolons, with heads in that language', () => {
  const { start, line } = csvWriter('spreadsheet', german);
  expect(start).toMatch(/^\uFEFFKennung;Name;E-Mail;Telefon;Firma;/);
  expect(start).toContain(';Gesamtumsatz (EUR);');
  const plain = { ...customer, name: 'Anna', email: 'a@mail.example', company: null };
  expect(line(plain)).toContain(';"-12,50";');
  expect(csvWriter('spreadsheet', makeText('de', 'de-CH', 'CHF')).line(plain)).toContain(
    ',-12.50,',
  );
});

test('a phone number of digits keeps its zeros: it is text', () => {
  for (const digits of ['0100893703', '030 555 0100', '(030) 555']) {
    const line = csvWriter('spreadsheet', english).line({ ...customer, phone: digits });
    expect(line).toContain(guardPhone(digits));
    expect(line).toContain(`'${digits}`);
  }
});

test('raw, every text is as it is, in every language', () => {
  for (const text of [english, german]) {
    expect(csvWriter('raw', text).start).toMatch(/^id,name,email,/);
    expect(csvWriter('raw', text).line(customer)).toBe(
      `${id},"Anna;=HYPERLINK(""http://example.com"")",${email},${phone},"${company}",` +
        'true,2,-12.50,,2026-01-31T09:05:00.007Z\r\n',
    );
  }
});

test('the name of a file says the search and the local day', () => {
  const now = new Date(2026, 10, 18, 0, 30);
  expect(csvName(['Customers', ''], now)).toBe('Customers-2026-11-18.csv');
  expect(csvName(['Kunden', 'müller  gmbh', 'Geprüft'], now)).toBe(
    'Kunden-müller-gmbh-Geprüft-2026-11-18.csv',
  );
  expect(csvName(['Customers', '../a:b?*"<>|c'], now)).toBe('Customers-a-b-c-2026-11-18.csv');
});
