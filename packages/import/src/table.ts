/** Opens a file: detects its format, matches its columns, and parses its records. */
import type { Readable } from 'node:stream';
import { quoted, shellQuoted } from './column-names.ts';
import { CsvReader } from './csv-reader.ts';
import { RowParser, type CustomerRow, type RowOptions } from './customer-row.ts';
import type { Reject } from './faults.ts';
import { fieldOf } from './field-names.ts';
import { ImportError } from './import-error.ts';
import { checkInput } from './inputs.ts';
import { checkCents, checkIdentifiers, firstCurrency, type Sample } from './check-sample.ts';
import { OneFile } from './one-file.ts';
import { matchFields, type Matches, type MatchOptions } from './match-fields.ts';
import { keyMatcher } from './match-keys.ts';
import { readIdOption } from './identifiers.ts';
import { presetOf, recognise, type ValuesOf } from './presets.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { rejectLayout, type RejectLayout } from './reject-layout.ts';
import { sniff, type SniffOptions } from './sniff.ts';
import type { FileFormat } from './file-format.ts';
import { openSource } from './source.ts';
import type { Position, RecordReader, SourceRecord } from './source-record.ts';
import { shortList, withSuggestion } from './unused-keys.ts';
import { describeWarning, Warnings } from './warnings.ts';

export interface TableOptions extends MatchOptions, SniffOptions, RowOptions {
  encoding?: string | undefined;
  /** For messages, if not the path. */
  name?: string | undefined;
  stdin: Readable;
}

export interface ParsedRecord {
  record: SourceRecord;
  result: CustomerRow | Reject[];
  matches?: Matches;
}

/** What is known only when the database is connected. */
export interface ReadOptions extends Pick<RowOptions, 'namespace' | 'asOf' | 'identityOnly'> {
  /** Before the import: values are not reported, because they are read again. */
  examining?: boolean;
}

export interface Records {
  name: string;
  start: Position;
  /** Yields all records from a position on, in groups. Standard input can be read only once. */
  read(from: Position, options: ReadOptions): AsyncGenerator<ParsedRecord[], void>;
}

export interface Table extends Records {
  format: FileFormat;
  /** How the file was recognised and what about it is suspicious, before any record is imported. */
  notes: string[];
  /** Columns that are not imported, each with a suggestion if it looks like a typo; keys read so far in JSON. */
  ignored(): string[];
  /** Values read so far that may mean something else. */
  warnings: Warnings;
  /** The currency that the first records name, or after `examine` the first one of the file. */
  currency: string | undefined;
  bytesRead(): number;
  /** How its rejected records are written. */
  rejectLayout: RejectLayout;
}

const sniffBytes = 65_536;
const sampleSize = 20;

export async function openTable(path: string, options: TableOptions): Promise<Table> {
  const { encoding, stdin } = options;
  await checkInput(path, 'import');
  const oneFile = path === '-' ? undefined : await OneFile.open(path);
  let source = await openSource(path, stdin, { encoding });
  const chunks = source.chunks();
  const { head, whole } = await readHead(chunks);
  if (path !== '-') await chunks.return(undefined);
  const unused = new Set<string>();
  const name = options.name ?? source.name;
  const { format, match, sample, notes } = naming(name, () =>
    inspect(head, whole, options, unused),
  );
  const warnings = new Warnings();

  const table: Table = {
    name,
    format,
    notes,
    ignored: () => [...unused].map(withSuggestion),
    warnings,
    currency: firstCurrency(sample),
    start: format.start,
    bytesRead: () => source.bytesRead(),
    rejectLayout: rejectLayout(format, head.subarray(0, format.start.byte), source.encoding()),
    async *read(from, { examining, ...given }) {
      const isCsv = format.kind === 'csv';
      const parser = new RowParser({
        ...options,
        ...given,
        ...(examining ? {} : { warnings }),
        currency: options.currency ?? table.currency ?? '',
        quotesAll: isCsv && format.quotesAll,
        delimiter: isCsv ? format.delimiter : undefined,
      });
      const parse = (record: SourceRecord): ParsedRecord => {
        const matches = match(record);
        return { record, matches, result: parser.parse(record, matches) };
      };
      let rest: AsyncIterable<Buffer>;
      if (oneFile === undefined) {
        rest = prepend(head.subarray(from.byte), chunks);
      } else {
        source = await openSource(path, stdin, { encoding, from: from.byte });
        rest = oneFile.watch(source.chunks(), from.byte);
      }
      const reader = readerFor(format, from);
      for await (const chunk of rest) yield Array.from(reader.read(chunk, false), parse);
      yield Array.from(reader.read(Buffer.alloc(0), true), parse);
    },
  };
  return table;
}

/** What the beginning of a file says about the rest. Throws if the file cannot be imported. */
function inspect(head: Buffer, whole: boolean, options: TableOptions, unused: Set<string>) {
  const format = sniff(head, whole, options);
  const sampled = readSample(head, whole, format);
  const names = header(format) ?? sampled.find(({ keys }) => keys)?.keys ?? [];
  const valuesOf = valuesIn(sampled, header(format));
  const given = options.idColumn === undefined ? undefined : readIdOption(options.idColumn, names);
  const preset = recognise(names, valuesOf) ?? presetOf(given?.scope);
  const match = matcher(format, { ...options, preset, valuesOf }, unused);
  const sample = sampled.map((record): Sample => ({ record, matches: match(record) }));
  const unscoped = options.accept?.has('unscoped-ids') === true;
  checkIdentifiers(sample, { preset, valuesOf, unscoped });
  const notes = checkCents(sample, options.map);
  const matches = sample[0]?.matches;
  if (preset && matches?.scope === preset.scope && options.idColumn === undefined) {
    const id = shellQuoted(`${preset.scope}${matches.names[matches.idColumn!]!}`);
    notes.unshift(`recognised as an export of ${preset.system}, which implies --id-column ${id}`);
  }
  const byValues = matches && uuidsByValues(matches, options.map);
  if (byValues !== undefined) {
    const implied = shellQuoted(`${byValues}=uuid`);
    notes.unshift(
      `${quoted(byValues)} has UUIDs and is taken to identify customers, which implies --map ${implied}`,
    );
  }
  return { format, match, sample, notes };
}

/** The column of UUIDs, if neither its name nor the user says that it has them: they may be of a session. */
function uuidsByValues({ names, fields }: Matches, map: MatchOptions['map']): string | undefined {
  const name = names[fields.indexOf('uuid')];
  return name === undefined || map.has(name) || fieldOf(name) === 'uuid' ? undefined : name;
}

/** Of records whose keys are the columns, or that have one header. */
function valuesIn(records: readonly SourceRecord[], columns: string[] | undefined): ValuesOf {
  return (column) =>
    records.map(({ cells, keys }) => {
      const value = cells[(columns ?? keys ?? []).indexOf(column)];
      return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    });
}

/** Says which file an error is about. */
function naming<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new ImportError(`${name}: ${error.message}`, { cause: error });
  }
}

const header = (format: FileFormat): string[] | undefined =>
  format.kind === 'csv' ? format.header : undefined;

function readerFor(format: FileFormat, from: Position): RecordReader {
  return format.kind === 'csv' ? new CsvReader(format, from) : new NdjsonReader(from);
}

/** The first records that can be read. */
function readSample(head: Buffer, whole: boolean, format: FileFormat): SourceRecord[] {
  const sample: SourceRecord[] = [];
  for (const record of readerFor(format, format.start).read(
    head.subarray(format.start.byte),
    whole,
  )) {
    if (!record.fault) sample.push(record);
    if (sample.length === sampleSize) break;
  }
  return sample;
}

/** CSV has one header for all records, so it is matched once. */
function matcher(
  format: FileFormat,
  options: MatchOptions,
  unused: Set<string>,
): (record: SourceRecord) => Matches {
  if (format.kind === 'ndjson') return keyMatcher(options, unused);
  const matches = matchFields(format.header, options);
  for (const name of matches.ignored) unused.add(name);
  return () => matches;
}

type Log = (line: string) => void;

/** Before the import, and after `examine`, which has read all keys. */
export function logNotes(table: Table, log: Log): void {
  for (const note of table.notes) log(`${table.name}: ${note}`);
  const ignored = table.ignored();
  if (ignored.length > 0) log(`${table.name}: not used: ${shortList(ignored)}`);
}

/** After the import. */
export function logWarnings(table: Table, log: Log): void {
  for (const each of table.warnings.list) log(`${table.name}: warning: ${describeWarning(each)}`);
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
