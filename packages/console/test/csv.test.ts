/** The CSV that the console saves. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toCustomer, type Customer } from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';
import { guard, guardPhone, spreadsheetLine } from '@clientele/contract/spreadsheet';
import { hasLibreOffice, open } from '@clientele/sandbox/testing/libre-office';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { csvName, csvWriter } from '../src/customers/csv.ts';
import { makeText } from '../src/text/text.ts';

const customer: Customer = {
  ...toCustomer(buildCustomer()),
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
/** Dates in spreadsheets are local. */
beforeEach(() => vi.stubEnv('TZ', 'Europe/Berlin'));
afterEach(() => vi.unstubAllEnvs());

const { id, name, email, phone, company } = customer;
const english = makeText('en', 'en-GB', 'EUR');
const german = makeText('de', 'de-DE', 'EUR');

test('for spreadsheets, text has the guard of clientele export', () => {
  const texts = [name, email, phone!, company!].map(guard);
  const others = ['yes', '2', '-12.50', null, '2026-01-31 10:05:00'];
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

test('for spreadsheets in German, flags, dates and what is hidden are German', () => {
  const line = csvWriter('spreadsheet', german).line({
    ...customer,
    email: '',
    phone: null,
    company: null,
    isVerified: false,
    lastOrderAt: new Date('2026-07-01T22:30:00Z'),
    hidden: ['email', 'phone'],
  });
  expect(line.replaceAll('"', '')).toMatch(
    /;verborgen;verborgen;;nein;2;-12,50;02\.07\.2026 00:30:00;31\.01\.2026 10:05:00\r\n$/,
  );
  expect(csvWriter('spreadsheet', german).line(customer)).toContain(';"ja";');
});

test.skipIf(!hasLibreOffice).each([
  ['de-DE', german, ';', '-12,5'],
  ['en-US', english, ',', '-12.5'],
] as const)(
  'LibreOffice reads dates and amounts of %s',
  async (locale, text, separators, amount) => {
    const folder = await mkdtemp(join(tmpdir(), 'clientele-csv-'));
    const file = join(folder, 'customers.csv');
    const { start, line } = csvWriter('spreadsheet', text);
    await writeFile(file, start + line({ ...customer, phone: '0100893703' }));
    const [table] = await open([file], { folder, locale, separators, detectsDates: true });
    const row = table![1]!;
    // Text is in quotes.
    expect(row.at(7)).toContain(amount);
    for (const cell of [row.at(7), row.at(9)]) expect(cell).toMatch(/^[-\d]/);
    expect(row.at(3)).toContain('0100893703');
    await rm(folder, { recursive: true });
  },
);

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
