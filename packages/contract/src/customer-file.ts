/** The file format of customers: `generate` and `export` write it, `import` reads it. */
import { fieldOf, wireFields } from './customer-fields.ts';
import type { WireCustomer } from './index.ts';
import { guard, guardPhone, spreadsheetLine } from './spreadsheet.ts';

export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

export const csvHeader = `${wireFields.join(',')}\n`;

const needsQuotes = /[",\r\n]/;
/** Null is written as nothing, an empty string as `""`, so that the two survive a round trip. */
const csvText = (text: string | null): string => {
  if (text === null) return '';
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const csvCells = wireFields.map((name) => ({ name, isText: fieldOf(name).kind === 'text' }));

/** RFC 4180, except that lines end in LF. The first cell is never empty. */
export function csvLine(customer: WireCustomer): string {
  let line = '';
  for (const { name, isText } of csvCells) {
    const value = customer[name];
    if (line !== '') line += ',';
    if (isText) line += csvText(value as string | null);
    else if (value !== null) line += value;
  }
  return `${line}\n`;
}

const spreadsheetCells = wireFields.map((name) => ({
  name,
  write: fieldOf(name).kind !== 'text' ? String : name === 'phone_number' ? guardPhone : guard,
}));

/** The same customer in CSV that is safe to open in a spreadsheet. */
export const spreadsheetCsvLine = (customer: WireCustomer): string =>
  `${spreadsheetLine(
    spreadsheetCells.map(({ name, write }) => {
      const value = customer[name];
      return value === null ? null : write(value as string);
    }),
  )}\n`;
