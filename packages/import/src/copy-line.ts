/** Writes rows in PostgreSQL's COPY text format. */
import type { CustomerRow } from './customer-row.ts';
import type { Op } from './feed-op.ts';
import { columns, defaultValues, fileFields } from './fields.ts';

export const opCodes: Record<Op, number> = { upsert: 0, delete: 1, erase: 2 };
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const special = /[\\\t\n\r]/;

export const escapeText = (text: string): string =>
  special.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!) : text;

/** In the order of `stagingColumns` and `columns`. */
export function copyLine(row: CustomerRow, position: number, layer: number): string {
  const { op, given, values } = row;
  let line = `${position}\t${layer}\t${opCodes[op]}\t${given}`;
  for (const column of columns) {
    const value = values[column] ?? defaultValues[column];
    if (value === null) line += '\t\\N';
    else line += `\t${escapeText(value)}`;
  }
  return `${line}\n`;
}

/** No line has more: a character has at most four bytes, and an escaped one two. */
export const maxLineBytes = columns
  .map((column) => fileFields[column])
  .reduce((sum, { kind, max = 0 }) => sum + (kind === 'text' ? 4 * max : 40), 100);
