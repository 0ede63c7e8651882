/** The file format of customers: `generate` and `export` write it, `import` reads it. */
import type { WireCustomer } from './index.ts';

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

/**
 * Spreadsheets evaluate a cell that starts with one of these characters, so a customer named
 * =HYPERLINK(…) would run as a formula. A leading apostrophe makes it text; the import removes it. Text that
 * already has one gets another.
 */
const formula = /^'*\s*[=+\-@|\t\r]/;
const inert = <T extends string | null>(text: T): T =>
  (text !== null && formula.test(text) ? `'${text}` : text) as T;

/** `csvLine` with text that a spreadsheet would evaluate as a formula made inert. */
export const spreadsheetCsvLine = (customer: WireCustomer): string =>
  csvLine({
    ...customer,
    full_name: inert(customer.full_name),
    email_address: inert(customer.email_address),
    phone_number: inert(customer.phone_number),
    company_name: inert(customer.company_name),
  });
