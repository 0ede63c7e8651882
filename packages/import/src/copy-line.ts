/** Writes rows in PostgreSQL's COPY text format. */
import type { CustomerRow, Values } from './customer-row.ts';
import type { Op } from './feed-op.ts';
import { columns } from './fields.ts';

export const opCodes: Record<Op, number> = { upsert: 0, delete: 1, erase: 2 };
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const special = /[\\\t\n\r]/;

export const escapeText = (text: string): string =>
  special.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!) : text;

/** What a new customer gets for columns that its record does not give, as the table's own defaults. */
const defaults: Values = {
  is_verified: 'false',
  total_orders: '0',
  lifetime_value_cents: '0',
  created_at: 'now',
};

/** In the order of `stagingColumns` and `columns`. */
export function copyLine(row: CustomerRow, position: number, layer: number): string {
  const { op, given, values } = row;
  let line = `${position}\t${layer}\t${opCodes[op]}\t${given}`;
  for (const column of columns) {
    const value = values[column] ?? defaults[column];
    if (value === undefined || value === null) line += '\t\\N';
    else line += `\t${escapeText(value)}`;
  }
  return `${line}\n`;
}
