/** A record as a line for the staging table, or why it cannot be one. */
import type { DateOrder } from './dates.ts';
import { fault, Fault, type Reject } from './faults.ts';
import {
  columns,
  derived,
  derivedUuid,
  readers,
  whenNull,
  type Column,
  type Field,
  type Value,
} from './fields.ts';
import type { SourceRecord } from './source-record.ts';

const ops = ['upsert', 'delete', 'erase'] as const;
export type Op = (typeof ops)[number];

/** Which of the columns that may be left alone a record speaks of: one bit each. */
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

export interface CustomerRow {
  uuid: string;
  op: Op;
  given: number;
  values: Partial<Record<Column, Value>>;
}

export interface RowOptions {
  dates?: DateOrder;
  /** For records that do not say themselves when they are from. */
  asOf?: (() => string) | undefined;
  /** Whether records may delete: a feed's may, a file's may not. */
  deletes?: boolean;
  /** `""` is an empty cell. */
  quotesAll?: boolean;
  /** Whether rejects hold the value, or its beginning. */
  rejectValues?: boolean | undefined;
}

/** Reads records of one header. JSON has one for each set of keys. */
export class RowMaker {
  readonly #read: ReturnType<typeof readers>;
  readonly #options: RowOptions;

  constructor(options: RowOptions) {
    this.#options = options;
    this.#read = readers(options.dates);
  }

  /** `cells[i]` is what `fields[i]` says; `idColumn` is where an identifier is derived from. */
  make(
    record: SourceRecord,
    names: readonly string[],
    fields: readonly (Field | undefined)[],
    idColumn?: number,
  ): CustomerRow | Reject[] {
    const { cells, line } = record;
    const reject = (column: string, { rule }: Fault, value: unknown): Reject => ({
      line,
      column,
      rule,
      value: this.#options.rejectValues ? excerpt(value) : '',
    });
    if (record.fault) return [reject(damagedColumn(record, names), record.fault, '')];
    if (cells.length !== names.length) return [reject('', fault.columns, '')];

    const op = this.#op(cells, names);
    if (op instanceof Fault) return [reject('op', op, cells[names.indexOf('op')])];
    const rejects: Reject[] = [];
    const values: Partial<Record<Column, Value>> = {};
    let given = 0;
    let id: string | undefined;
    for (let i = 0; i < fields.length; i += 1) {
      const field = fields[i];
      if (field === undefined && i !== idColumn) continue;
      if (op !== 'upsert' && field !== 'uuid' && field !== 'updated_at' && i !== idColumn) continue;
      const cell = this.#text(cells[i]);
      if (i === idColumn) {
        const made = cell instanceof Fault ? cell : derivedUuid(cell ?? '');
        if (made instanceof Fault) rejects.push(reject(names[i]!, made, cells[i]));
        else id = made!;
      }
      if (field === undefined) continue;
      const value =
        cell instanceof Fault ? cell : cell === null ? whenNull[field] : this.#read[field](cell);
      if (value instanceof Fault) {
        rejects.push(reject(names[i]!, value, cells[i]));
        continue;
      }
      const column = field in derived ? derived[field as keyof typeof derived] : (field as Column);
      if (field === 'uuid') id = value!;
      else if (field === 'first_name' || field === 'last_name') joinName(values, field, value!);
      else values[column] = value;
      // Without a date of its own, a customer keeps the one it has, or gets today's.
      if (column !== 'created_at' || value !== null) given |= bitOf[column] ?? 0;
    }
    if (op === 'upsert' && 'full_name' in values && !fields.includes('full_name')) {
      const whole = this.#read.full_name(values.full_name!);
      if (whole instanceof Fault) rejects.push(reject('full_name', whole, values.full_name));
    }
    if (rejects.length === 0) {
      for (const column of requiredColumns(op)) {
        const missing = column === 'uuid' ? id === undefined : values[column] === undefined;
        if (missing) rejects.push(reject(column, fault.required, ''));
      }
    }
    if (rejects.length > 0) return rejects;
    values.uuid = id!;
    values.updated_at ??= this.#options.asOf?.() ?? null;
    return { uuid: id!, op, given, values };
  }

  #op(cells: readonly unknown[], names: readonly string[]): Op | Fault {
    const at = this.#options.deletes === undefined ? -1 : names.indexOf('op');
    if (at < 0 || cells[at] === null) return 'upsert';
    const op = ops.find((each) => each === cells[at]);
    if (op === undefined || (op !== 'upsert' && !this.#options.deletes)) return fault.op;
    return op;
  }

  /** A cell of CSV, or a value of JSON as the text that CSV would hold. */
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
}

/** A copy: a mere slice would keep the whole record in memory. */
function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return Buffer.from(text.slice(0, 200)).toString();
}

const requiredColumns = (op: Op): Column[] =>
  op === 'upsert' ? ['uuid', 'full_name', 'email_address'] : ['uuid'];

function joinName(
  values: Partial<Record<Column, Value>>,
  part: 'first_name' | 'last_name',
  text: string,
): void {
  const other = values.full_name ?? '';
  const parts = part === 'first_name' ? [text, other] : [other, text];
  values.full_name = parts
    .map((each) => each.trim())
    .filter(Boolean)
    .join(' ');
}

/** The column that holds the bytes that cannot be read, where that can be told. */
function damagedColumn({ cells, fault: why }: SourceRecord, names: readonly string[]): string {
  const sign = why === fault.utf8 ? '\uFFFD' : why === fault.nul ? '\0' : undefined;
  if (sign === undefined || cells.length !== names.length) return '';
  return names[cells.findIndex((cell) => typeof cell === 'string' && cell.includes(sign))] ?? '';
}

const opCodes: Record<Op, number> = { upsert: 0, delete: 1, erase: 2 };
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const special = /[\\\t\n\r]/;

/** PostgreSQL's COPY text format; `position` tells duplicates of a batch apart. */
export function copyLine({ op, given, values }: CustomerRow, position: number): string {
  let line = `${position}\t${opCodes[op]}\t${given}`;
  for (const column of columns) {
    const value = values[column];
    if (value === undefined || value === null) line += '\t\\N';
    else if (special.test(value))
      line += `\t${value.replace(/[\\\t\n\r]/g, (sign) => escapes[sign]!)}`;
    else line += `\t${value}`;
  }
  return `${line}\n`;
}
