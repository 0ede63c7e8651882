/** The file format of customers: `generate` and `export` write it, `import` reads it. */
import type { WireCustomer } from './index.ts';
import { guard, guardPhone, spreadsheetLine } from './spreadsheet.ts';

export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** The wire fields, in wire order. */
export const fields = [
  'uuid',
  'full_name',
  'email_address',
  'phone_number',
  'company_name',
  'is_verified',
  'total_orders',
  'lifetime_value_cents',
  'last_order_at',
  'created_at',
] as const satisfies readonly (keyof WireCustomer)[];

export const csvHeader = `${fields.join(',')}\n`;

const needsQuotes = /[",\r\n]/;
/** Null is written as nothing, an empty string as `""`, so that the two survive a round trip. */
const csvText = (text: string | null): string => {
  if (text === null) return '';
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** RFC 4180, except that lines end in LF. */
export const csvLine = (customer: WireCustomer): string =>
  `${customer.uuid},${csvText(customer.full_name)},${csvText(customer.email_address)},` +
  `${csvText(customer.phone_number)},${csvText(customer.company_name)},` +
  `${customer.is_verified},${customer.total_orders},${customer.lifetime_value_cents},` +
  `${customer.last_order_at ?? ''},${customer.created_at}\n`;

const guarded = (text: string | null): string | null => text && guard(text);

/** The same customer in CSV that is safe to open in a spreadsheet. */
export const spreadsheetCsvLine = (customer: WireCustomer): string =>
  `${spreadsheetLine([
    customer.uuid,
    guarded(customer.full_name),
    guarded(customer.email_address),
    customer.phone_number && guardPhone(customer.phone_number),
    guarded(customer.company_name),
    String(customer.is_verified),
    String(customer.total_orders),
    String(customer.lifetime_value_cents),
    customer.last_order_at,
    customer.created_at,
  ])}\n`;
