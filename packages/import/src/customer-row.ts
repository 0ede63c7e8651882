/** Turns a record into a row of the staging table, or into the reasons why it is rejected. */
import { requiredFields, wireFields } from '@clientele/contract/customer-fields';
import { readCell, readDigits, type CellOptions } from './cell-text.ts';
import type { DateOrder } from './dates.ts';
import { fault, Fault, type Reject } from './faults.ts';
import {
  columnOf,
  columns,
  derivedUuid,
  emptyValues,
  fileFields,
  firstPart,
  parsers,
  type Column,
  type Field,
  type ParseOptions,
  type Value,
} from './fields.ts';
import { readOp, type NotAllowed, type Op } from './feed-op.ts';
import { findDamage, spannedLines } from './find-damage.ts';
import { requireScope } from './identifiers.ts';
import type { Accepted } from './accept.ts';
import type { Matches } from './match-fields.ts';
import { joinName } from './name-columns.ts';
import { rawOf, type SourceRecord } from './source-record.ts';
import { bitsOf } from './given-bits.ts';
import { TimeZone } from './time-zone.ts';
import type { Suspicion, Warnings } from './warnings.ts';

/** One bit per optional column. A record that does not give a column leaves it unchanged. */
export const givenBits: Partial<Record<Column, number>> = bitsOf(
  wireFields.filter((name) => !requiredFields.includes(name)),
);

export type Values = Partial<Record<Column, Value>>;

export interface CustomerRow {
  uuid: string;
  op: Op;
  given: number;
  values: Values;
}

export interface RowOptions extends CellOptions {
  dates?: DateOrder;
  /** The zone of times that do not name one, as an IANA name; UTC if undefined. */
  timeZone?: string | undefined;
  /** The currency of amounts. If undefined, that of the first amount that names one. */
  currency?: string | undefined;
  /** Use the e-mail address as the name of customers without one. */
  nameFromEmail?: boolean | undefined;
  /** In which UUIDs are derived from other identifiers; undefined without a database. */
  namespace?: Buffer | undefined;
  /** The time of records without `updated_at`. */
  asOf?: (() => string) | undefined;
  /** Whether records may delete. A feed allows it, a file does not. */
  deletes?: boolean;
  /** Every cell is quoted, so `""` is an empty cell. */
  quotesAll?: boolean;
  delimiter?: string | undefined;
  warnings?: Warnings;
  accept?: Accepted | undefined;
  /** Only reads what says who somebody is. Of other fields, only bytes that cannot be decoded are rejected. */
  identityOnly?: boolean | undefined;
}

/** With every column from the beginning, an object is filled much faster. */
const noValues = Object.fromEntries(columns.map((column) => [column, undefined])) as Values;

/** The fields that say who somebody is. */
const identifying = new Set<Field | undefined>([
  ...(['uuid', 'full_name', 'first_name', 'last_name', 'email_address'] as const),
]);

type AddReject = (column: string, fault: Fault, detail?: string) => void;

export class RowParser {
  readonly #parse: ReturnType<typeof parsers>;
  /** For columns whose times are in UTC. */
  readonly #parseUtc: ReturnType<typeof parsers>;
  readonly #options: RowOptions;
  readonly #acceptsUnscoped: boolean;
  #currency: string | undefined;
  readonly #onWrapped = (): void => this.#warn('wrapped');
  /** What is being parsed, for warnings. */
  #line = 0;
  #column = '';
  /** Cells were decoded from bytes, as in CSV, and not by `JSON.parse`, so `findDamage` has seen what they cannot have. */
  #decoded = false;

  constructor(options: RowOptions) {
    this.#options = options;
    this.#acceptsUnscoped = options.accept?.has('unscoped-ids') === true;
    this.#currency = options.currency;
    const shared: ParseOptions = {
      raw: options.raw,
      order: options.dates,
      isExpected: (currency) => (this.#currency ??= currency) === currency,
      onSeveral: () => this.#warn('several'),
      onAhead: () => this.#warn('ahead'),
    };
    const zone = options.timeZone === undefined ? undefined : new TimeZone(options.timeZone);
    this.#parse = parsers({ ...shared, zone, onLocalTime: () => this.#warn('local-time') });
    this.#parseUtc = parsers(shared);
  }

  parse(record: SourceRecord, matches: Matches): CustomerRow | Reject[] {
    const { cells, line } = record;
    const { names, fields, idColumn } = matches;
    const rejects: Reject[] = [];
    const reject: AddReject = (column, { rule }, detail) => {
      rejects.push({ line, column, rule, source: rawOf(record), ...(detail && { detail }) });
    };
    this.#line = line;
    this.#decoded = record.keys === undefined;
    const damage = findDamage(record, matches, this.#options);
    if (damage) {
      reject(damage.column, damage.reason, damage.detail);
      return rejects;
    }
    const op = this.#op(cells, matches);
    if (typeof op === 'object') {
      reject('op', fault.op, op.detail);
      return rejects;
    }
    const values: Values = { ...noValues };
    let given = 0;
    for (let i = 0; i < fields.length; i += 1) {
      const field = fields[i];
      if (field === undefined && i !== idColumn) continue;
      if (op !== 'upsert' && field !== 'uuid' && field !== 'updated_at' && i !== idColumn) continue;
      if (this.#options.identityOnly && i !== idColumn && !identifying.has(field)) {
        if (!this.#decoded && isUndecodable(cells[i])) reject(names[i]!, fault.utf8);
        continue;
      }
      this.#column = names[i]!;
      const cell = this.#text(cells[i]);
      if (i === idColumn) {
        const uuid = this.#derivedUuid(cell, matches);
        if (uuid instanceof Fault) reject(names[i]!, uuid, spannedLines(uuid, record));
        else values.uuid = uuid;
      }
      if (field === undefined || (i === idColumn && cell instanceof Fault)) continue;
      const value = this.#value(field, cell, cells[i], matches.utc[i]);
      if (!(value instanceof Fault)) given |= setField(values, field, value, matches);
      else if (value !== fault.required || field !== 'full_name' || !this.#options.nameFromEmail) {
        const advice = field === 'full_name' ? nameAdvice(value) : undefined;
        reject(names[i]!, value, advice ?? spannedLines(value, record));
      }
    }
    if (op === 'upsert') this.#checkName(values, matches, reject);
    if (rejects.length === 0) requireColumns(op, values, reject);
    if (rejects.length > 0) return rejects;
    values.updated_at ??= this.#options.asOf?.() ?? null;
    return { uuid: values.uuid!, op, given, values };
  }

  #warn(suspicion: Suspicion): void {
    this.#options.warnings?.add(suspicion, this.#column, this.#line);
  }

  #derivedUuid(cell: Value | Fault, matches: Matches): Value | Fault {
    if (cell instanceof Fault) return cell;
    const { names, fields, idColumn, scope, canonicalId } = matches;
    let id = readDigits((cell ?? '').trim());
    if (id instanceof Fault) return id;
    // Addresses that differ only in case, or in further addresses, are of the same customer.
    if (fields[idColumn!] === 'email_address') id = firstPart(id).toLowerCase();
    if (scope === undefined) requireScope(names[idColumn!]!, id, this.#acceptsUnscoped);
    const name = id === '' ? '' : `${scope ?? ''}${canonicalId?.(id) ?? id}`;
    return derivedUuid(name, this.#options.namespace);
  }

  #checkName(values: Values, { names, fields }: Matches, reject: AddReject): void {
    const part = fields.indexOf('first_name');
    if (!fields.includes('full_name') && values.full_name !== undefined) {
      const joined = this.#parse.full_name(values.full_name!);
      if (!(joined instanceof Fault)) return;
      if (joined === fault.required && this.#options.nameFromEmail) delete values.full_name;
      else reject('full_name', joined, nameAdvice(joined));
    }
    if (values.full_name !== undefined || !this.#options.nameFromEmail) return;
    if (values.email_address === undefined) return;
    values.full_name = values.email_address;
    this.#column = names[Math.max(part, fields.indexOf('full_name'))] ?? 'full_name';
    this.#warn('name-from-email');
  }

  #op(cells: readonly unknown[], matches: Matches): Op | NotAllowed {
    const { deletes } = this.#options;
    return deletes === undefined ? 'upsert' : readOp(cells, matches, deletes);
  }

  /** A CSV cell, or a JSON value converted to the text that CSV would contain. */
  #text(cell: unknown): Value | Fault {
    if (typeof cell === 'string') {
      if (cell === '' && this.#options.quotesAll) return null;
      if (!this.#decoded && cell.includes('\0')) return fault.nul;
      if (!this.#decoded && !cell.isWellFormed()) return fault.utf8;
      return readCell(cell, this.#options, this.#onWrapped);
    }
    if (cell === null) return null;
    if (typeof cell === 'boolean' || (typeof cell === 'number' && Number.isFinite(cell))) {
      return String(cell);
    }
    return fault.type;
  }

  #value(field: Field, cell: Value | Fault, source: unknown, utc: boolean | undefined) {
    if (cell instanceof Fault) return cell;
    if (cell === null) return emptyValues[field];
    // With a fourth decimal, 1.234 of JSON cannot be mistaken for a thousand.
    const isFraction = typeof source === 'number' && !Number.isInteger(source);
    const text = isFraction && fileFields[field].kind === 'integer' ? `${cell}0` : cell;
    return (utc ? this.#parseUtc : this.#parse)[field](text);
  }
}

const isUndecodable = (cell: unknown): boolean => typeof cell === 'string' && !cell.isWellFormed();

const nameAdvice = (reason: Fault): string | undefined =>
  reason === fault.required ? 'see --name-from-email' : undefined;

/** Stores a parsed value in its column. Returns the column's bit if the record gives it. */
function setField(values: Values, field: Field, value: Value, { mayBeWhole }: Matches): number {
  if (field === 'currency') return 0;
  const column = columnOf[field];
  const before = values.full_name ?? '';
  if (field === 'first_name') values.full_name = joinName(value!, before, mayBeWhole);
  else if (field === 'last_name') values.full_name = joinName(before, value!, mayBeWhole);
  else values[column] = value;
  // An empty created_at keeps the customer's date, or becomes the current time for a new customer.
  return value === null && fileFields[column].default === 'now' ? 0 : (givenBits[column] ?? 0);
}

function requireColumns(op: Op, values: Values, reject: AddReject): void {
  const required: Column[] = op === 'upsert' ? requiredFields : ['uuid'];
  for (const column of required) {
    if (values[column] === undefined) reject(column, fault.required);
  }
}
