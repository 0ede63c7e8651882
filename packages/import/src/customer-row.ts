/** Turns a record into a row of the staging table, or into the reasons why it is rejected. */
import type { DateOrder } from './dates.ts';
import { fault, Fault, type Reject } from './faults.ts';
import {
  columns,
  derived,
  derivedUuid,
  emptyValues,
  parsers,
  type Column,
  type Field,
  type Value,
} from './fields.ts';
import type { SourceRecord } from './source-record.ts';

const ops = ['upsert', 'delete', 'erase'] as const;
export type Op = (typeof ops)[number];

/** One bit per optional column. A record that does not give a column leaves it unchanged. */
export const givenBits = {
  phone_number: 1,
  company_name: 2,
  is_verified: 4,
  total_orders: 8,
  lifetime_value_cents: 16,
  last_order_at: 32,
  created_at: 64,
} as const satisfies Partial<Record<Column, number>>;
const bitOf: Partial<Record<Column, number>> = givenBits;

type Values = Partial<Record<Column, Value>>;

export interface CustomerRow {
  uuid: string;
  op: Op;
  given: number;
  values: Values;
}

export interface RowOptions {
  dates?: DateOrder;
  /** The time of records without `updated_at`. */
  asOf?: (() => string) | undefined;
  /** Whether records may delete. A feed allows it, a file does not. */
  deletes?: boolean;
  /** Every cell is quoted, so `""` is an empty cell. */
  quotesAll?: boolean;
  /** Whether rejects include the rejected value (up to 200 characters). */
  rejectValues?: boolean | undefined;
}

type AddReject = (column: string, fault: Fault, value: unknown) => void;

export class RowParser {
  readonly #parse: ReturnType<typeof parsers>;
  readonly #options: RowOptions;

  constructor(options: RowOptions) {
    this.#options = options;
    this.#parse = parsers(options.dates);
  }

  /** `fields[i]` is the field of `cells[i]`; `idColumn` is the column that identifiers are derived from. */
  parse(
    record: SourceRecord,
    names: readonly string[],
    fields: readonly (Field | undefined)[],
    idColumn?: number,
  ): CustomerRow | Reject[] {
    const { cells, line } = record;
    const rejects: Reject[] = [];
    const reject: AddReject = (column, { rule }, value) => {
      rejects.push({ line, column, rule, value: this.#options.rejectValues ? excerpt(value) : '' });
    };
    if (record.fault) {
      reject(damagedColumn(record, names), record.fault, '');
      return rejects;
    }
    if (cells.length !== names.length) {
      reject('', fault.columns, '');
      return rejects;
    }
    const op = this.#op(cells, names);
    if (op instanceof Fault) {
      reject('op', op, cells[names.indexOf('op')]);
      return rejects;
    }
    const values: Values = {};
    let given = 0;
    for (let i = 0; i < fields.length; i += 1) {
      const field = fields[i];
      if (field === undefined && i !== idColumn) continue;
      if (op !== 'upsert' && field !== 'uuid' && field !== 'updated_at' && i !== idColumn) continue;
      const cell = this.#text(cells[i]);
      if (i === idColumn) {
        const uuid = cell instanceof Fault ? cell : derivedUuid(cell ?? '');
        if (uuid instanceof Fault) reject(names[i]!, uuid, cells[i]);
        else values.uuid = uuid;
      }
      if (field === undefined) continue;
      const value = this.#value(field, cell);
      if (value instanceof Fault) reject(names[i]!, value, cells[i]);
      else given |= setField(values, field, value);
    }
    if (op === 'upsert' && 'full_name' in values && !fields.includes('full_name')) {
      const joined = this.#parse.full_name(values.full_name!);
      if (joined instanceof Fault) reject('full_name', joined, values.full_name);
    }
    if (rejects.length === 0) requireColumns(op, values, reject);
    if (rejects.length > 0) return rejects;
    values.updated_at ??= this.#options.asOf?.() ?? null;
    return { uuid: values.uuid!, op, given, values };
  }

  #op(cells: readonly unknown[], names: readonly string[]): Op | Fault {
    const at = this.#options.deletes === undefined ? -1 : names.indexOf('op');
    if (at < 0 || cells[at] === null) return 'upsert';
    const op = ops.find((each) => each === cells[at]);
    if (op === undefined || (op !== 'upsert' && !this.#options.deletes)) return fault.op;
    return op;
  }

  /** A CSV cell, or a JSON value converted to the text that CSV would contain. */
  #text(cell: unknown): Value | Fault {
    if (typeof cell === 'string') {
      if (cell === '' && this.#options.quotesAll) return null;
      if (cell.includes('\0')) return fault.nul;
      return cell.isWellFormed() ? cell : fault.utf8;
    }
    if (cell === null) return null;
    if (typeof cell === 'boolean' || (typeof cell === 'number' && Number.isFinite(cell))) {
      return String(cell);
    }
    return fault.type;
  }

  #value(field: Field, cell: Value | Fault): Value | Fault {
    if (cell instanceof Fault) return cell;
    return cell === null ? emptyValues[field] : this.#parse[field](cell);
  }
}

/** Stores a parsed value in its column. Returns the column's bit if the record gives it. */
function setField(values: Values, field: Field, value: Value): number {
  const column = field in derived ? derived[field as keyof typeof derived] : (field as Column);
  if (field === 'first_name' || field === 'last_name') joinName(values, field, value!);
  else values[column] = value;
  // An empty created_at keeps the customer's date, or becomes the current time for a new customer.
  return column === 'created_at' && value === null ? 0 : (bitOf[column] ?? 0);
}

function joinName(values: Values, part: 'first_name' | 'last_name', text: string): void {
  const other = values.full_name ?? '';
  const parts = part === 'first_name' ? [text, other] : [other, text];
  values.full_name = parts
    .map((each) => each.trim())
    .filter(Boolean)
    .join(' ');
}

function requireColumns(op: Op, values: Values, reject: AddReject): void {
  const required: Column[] = op === 'upsert' ? ['uuid', 'full_name', 'email_address'] : ['uuid'];
  for (const column of required) {
    if (values[column] === undefined) reject(column, fault.required, '');
  }
}

/** Copies the text, because V8 keeps the whole record in memory as long as a slice is referenced. */
function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return Buffer.from(text.slice(0, 200)).toString();
}

/** The column with the unreadable bytes, or '' if it cannot be determined. */
function damagedColumn(record: SourceRecord, names: readonly string[]): string {
  const { cells } = record;
  const damage =
    record.fault === fault.utf8 ? '\uFFFD' : record.fault === fault.nul ? '\0' : undefined;
  if (damage === undefined || cells.length !== names.length) return '';
  return names[cells.findIndex((cell) => typeof cell === 'string' && cell.includes(damage))] ?? '';
}

export const opCodes: Record<Op, number> = { upsert: 0, delete: 1, erase: 2 };
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const special = /[\\\t\n\r]/;

/** What a new customer gets for columns that its record does not give, as the table's own defaults. */
const defaults: Values = {
  is_verified: 'false',
  total_orders: '0',
  lifetime_value_cents: '0',
  created_at: 'now',
};

/** A line in PostgreSQL's COPY text format, in the order of `stagingColumns` and `columns`. */
export function copyLine(row: CustomerRow, position: number, layer: number): string {
  const { op, given, values } = row;
  let line = `${position}\t${layer}\t${opCodes[op]}\t${given}`;
  for (const column of columns) {
    const value = values[column] ?? defaults[column];
    if (value === undefined || value === null) line += '\t\\N';
    else if (special.test(value))
      line += `\t${value.replace(/[\\\t\n\r]/g, (character) => escapes[character]!)}`;
    else line += `\t${value}`;
  }
  return `${line}\n`;
}
