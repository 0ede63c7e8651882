/** A file as customers to be: its form and columns found out, its records read and judged. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ImportError } from './import-error.ts';
import { CsvReader } from './csv-reader.ts';
import { RowMaker, type CustomerRow, type RowOptions } from './customer-row.ts';
import type { Reject } from './faults.ts';
import { fieldNames, uuid } from './fields.ts';
import {
  matchFields,
  matchKeys,
  nearest,
  quoted,
  type Matches,
  type MatchOptions,
} from './match-fields.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { sniff, type Form, type SniffOptions } from './sniff.ts';
import { openSource } from './source.ts';
import type { Position, RecordReader, SourceRecord } from './source-record.ts';

export interface TableOptions extends MatchOptions, SniffOptions, RowOptions {
  encoding?: string | undefined;
  stdin: Readable;
}

export interface Made {
  record: SourceRecord;
  made: CustomerRow | Reject[];
}

export interface Records {
  name: string;
  start: Position;
  /** All records from there on, some at a time. Standard input can be read once only. */
  read(from: Position, asOf?: () => string): AsyncGenerator<Made[], void>;
}

export interface Table extends Records {
  form: Form;
  /** Columns that are not used, with a guess where one looks like a slip. */
  ignored: string[];
  bytesRead(): number;
}

const sniffBytes = 65_536;
const sampleSize = 20;
const mostKeySets = 1_000;

export async function openTable(path: string, options: TableOptions): Promise<Table> {
  const { encoding, stdin } = options;
  let source = await openSource(path, stdin, { encoding });
  const chunks = source.chunks();
  const { head, whole } = await readHead(chunks);
  const form = sniff(head, whole, options);
  if (path !== '-') await chunks.return(undefined);
  const match = matcher(form, options);
  checkIdentifiers(head, form, match);

  return {
    name: source.name,
    form,
    ignored: form.kind === 'csv' ? match([]).ignored.map(withGuess) : [],
    start: form.start,
    bytesRead: () => source.bytesRead(),
    async *read(from, asOf) {
      const quotesAll = form.kind === 'csv' && form.quotesAll;
      const maker = new RowMaker({ ...options, asOf, quotesAll });
      const judge = (record: SourceRecord): Made => {
        const names = record.keys ?? header(form);
        const { fields, idColumn } = match(names);
        return { record, made: maker.make(record, names, fields, idColumn) };
      };
      let rest: AsyncIterable<Buffer>;
      if (path === '-') {
        rest = prepend(head.subarray(from.byte), chunks);
      } else {
        source = await openSource(path, stdin, { encoding, from: from.byte });
        rest = source.chunks();
      }
      const reader = readerOf(form, from);
      for await (const chunk of rest) yield Array.from(reader.read(chunk, false), judge);
      yield Array.from(reader.read(Buffer.alloc(0), true), judge);
    },
  };
}

const header = (form: Form): string[] => (form.kind === 'csv' ? form.header : []);

function readerOf(form: Form, from: Position): RecordReader {
  return form.kind === 'csv' ? new CsvReader(form, from) : new NdjsonReader(from);
}

/** CSV has one header for all its records. */
function matcher(form: Form, options: MatchOptions): (keys: string[]) => Matches {
  if (form.kind === 'ndjson') return keyMatcher(options);
  const matches = matchFields(form.header, options);
  return () => matches;
}

/** Of JSON, each set of keys is looked at once. */
export function keyMatcher(options: MatchOptions): (keys: string[]) => Matches {
  const known = new Map<string, Matches>();
  return (keys) => {
    const name = keys.join('\0');
    let matches = known.get(name);
    if (!matches) {
      if (known.size >= mostKeySets) known.clear();
      matches = matchKeys(keys, options);
      known.set(name, matches);
    }
    return matches;
  };
}

/** A column called `id` that holds numbers would cost every record. */
function checkIdentifiers(head: Buffer, form: Form, match: (keys: string[]) => Matches): void {
  if (form.kind !== 'csv') return;
  const at = match([]).fields.indexOf('uuid');
  const records = readerOf(form, form.start).read(head.subarray(form.start.byte), false);
  const values = [...Array.from(records).slice(0, sampleSize)].map(({ cells }) => cells[at]);
  const texts = values.filter((value) => typeof value === 'string');
  if (at >= 0 && texts.length > 0 && texts.every((text) => typeof uuid(text) !== 'string')) {
    const name = form.header[at]!;
    throw new ImportError(
      `The column ${quoted(name)} does not hold UUIDs. To derive them from it, the same ones every ` +
        `time: --id-column ${quoted(name)}`,
    );
  }
}

function withGuess(name: string): string {
  const near = nearest(name, fieldNames);
  return near
    ? `${quoted(name)} (did you mean ${near}? --map ${quoted(`${name}=${near}`)})`
    : quoted(name);
}

async function readHead(chunks: AsyncGenerator<Buffer>): Promise<{ head: Buffer; whole: boolean }> {
  const parts: Buffer[] = [];
  for (let length = 0; length < sniffBytes;) {
    const { value, done } = await chunks.next();
    if (done) return { head: Buffer.concat(parts), whole: true };
    parts.push(value);
    length += value.length;
  }
  return { head: Buffer.concat(parts), whole: false };
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/**
 * Tells a file from any other, and from itself after a change. Not its name or place; its time of
 * change, because comparing a long file byte by byte takes longer than importing it again.
 */
export async function fingerprintOf(path: string, settings: object): Promise<string> {
  const edge = 1_048_576;
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const hash = createHash('sha256').update(JSON.stringify([size, mtimeMs, settings]));
    for (const position of [0, Math.max(0, size - edge)]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(edge), 0, edge, position);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
