/** Opens a file: detects its format, matches its columns, and parses its records. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ImportError } from './import-error.ts';
import { CsvReader } from './csv-reader.ts';
import { RowParser, type CustomerRow, type RowOptions } from './customer-row.ts';
import type { Reject } from './faults.ts';
import { fieldNames, uuid } from './fields.ts';
import { checkInput } from './inputs.ts';
import {
  matchFields,
  matchKeys,
  nearest,
  quoted,
  type Matches,
  type MatchOptions,
} from './match-fields.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { sniff, type FileFormat, type SniffOptions } from './sniff.ts';
import { openSource } from './source.ts';
import type { Position, RecordReader, SourceRecord } from './source-record.ts';

export interface TableOptions extends MatchOptions, SniffOptions, RowOptions {
  encoding?: string | undefined;
  stdin: Readable;
}

export interface ParsedRecord {
  record: SourceRecord;
  result: CustomerRow | Reject[];
}

export interface Records {
  name: string;
  start: Position;
  /** Yields all records from a position on, in groups. Standard input can be read only once. */
  read(from: Position, asOf?: () => string): AsyncGenerator<ParsedRecord[], void>;
}

export interface Table extends Records {
  format: FileFormat;
  /** Columns that are not imported, each with a suggestion if it looks like a typo. */
  ignored: string[];
  bytesRead(): number;
}

const sniffBytes = 65_536;
const sampleSize = 20;
const maxKeySets = 1_000;

export async function openTable(path: string, options: TableOptions): Promise<Table> {
  const { encoding, stdin } = options;
  await checkInput(path, 'import');
  let source = await openSource(path, stdin, { encoding });
  const chunks = source.chunks();
  const { head, whole } = await readHead(chunks);
  const format = sniff(head, whole, options);
  if (path !== '-') await chunks.return(undefined);
  const match = matcher(format, options);
  checkIdentifiers(head, format, match);

  return {
    name: source.name,
    format,
    ignored: format.kind === 'csv' ? match([]).ignored.map(withSuggestion) : [],
    start: format.start,
    bytesRead: () => source.bytesRead(),
    async *read(from, asOf) {
      const quotesAll = format.kind === 'csv' && format.quotesAll;
      const parser = new RowParser({ ...options, asOf, quotesAll });
      const parse = (record: SourceRecord): ParsedRecord => {
        const names = record.keys ?? header(format);
        const { fields, idColumn } = match(names);
        return { record, result: parser.parse(record, names, fields, idColumn) };
      };
      let rest: AsyncIterable<Buffer>;
      if (path === '-') {
        rest = prepend(head.subarray(from.byte), chunks);
      } else {
        source = await openSource(path, stdin, { encoding, from: from.byte });
        rest = source.chunks();
      }
      const reader = readerFor(format, from);
      for await (const chunk of rest) yield Array.from(reader.read(chunk, false), parse);
      yield Array.from(reader.read(Buffer.alloc(0), true), parse);
    },
  };
}

const header = (format: FileFormat): string[] => (format.kind === 'csv' ? format.header : []);

function readerFor(format: FileFormat, from: Position): RecordReader {
  return format.kind === 'csv' ? new CsvReader(format, from) : new NdjsonReader(from);
}

/** CSV has one header for all records, so it is matched once. */
function matcher(format: FileFormat, options: MatchOptions): (keys: string[]) => Matches {
  if (format.kind === 'ndjson') return keyMatcher(options);
  const matches = matchFields(format.header, options);
  return () => matches;
}

/** JSON objects may have different keys. The matches of each set of keys are cached. */
export function keyMatcher(options: MatchOptions): (keys: string[]) => Matches {
  const known = new Map<string, Matches>();
  return (keys) => {
    const name = keys.join('\0');
    let matches = known.get(name);
    if (!matches) {
      if (known.size >= maxKeySets) known.clear();
      matches = matchKeys(keys, options);
      known.set(name, matches);
    }
    return matches;
  };
}

/** Fails early if the UUID column contains something else, such as numbers: every record would be rejected. */
function checkIdentifiers(
  head: Buffer,
  format: FileFormat,
  match: (keys: string[]) => Matches,
): void {
  if (format.kind !== 'csv') return;
  const at = match([]).fields.indexOf('uuid');
  const records = readerFor(format, format.start).read(head.subarray(format.start.byte), false);
  const values = [...Array.from(records).slice(0, sampleSize)].map(({ cells }) => cells[at]);
  const texts = values.filter((value) => typeof value === 'string');
  if (at >= 0 && texts.length > 0 && texts.every((text) => typeof uuid(text) !== 'string')) {
    const name = format.header[at]!;
    throw new ImportError(
      `The column ${quoted(name)} does not contain UUIDs. To derive UUIDs from its values, ` +
        `add: --id-column ${quoted(name)}`,
    );
  }
}

export function logIgnored({ name, ignored }: Table, log: (line: string) => void): void {
  if (ignored.length > 0) log(`${name}: ignored columns: ${ignored.join(', ')}`);
}

function withSuggestion(name: string): string {
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
 * Identifies a file and its version, independent of its name. Hashes the modification time and both ends of
 * the content, so that a large file is not read twice.
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
