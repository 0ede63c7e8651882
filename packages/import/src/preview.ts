/** Shows how the first records would be imported. */
import { givenBits, type CustomerRow } from './customer-row.ts';
import { explainReject, type Reject } from './faults.ts';
import { columns } from './fields.ts';
import type { ParsedRecord, Table } from './table.ts';
import { describeWarning } from './warnings.ts';

const previewedRecords = 5;
const delimiterNames: Record<string, string> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'pipes',
};

interface PreviewOptions {
  json: boolean;
  /** The time of records without `updated_at`, or `now`. */
  asOf?: string | undefined;
}

/** Yields lines of text, or with `json` one JSON object per record. */
export async function* previewTable(
  table: Table,
  { json, asOf }: PreviewOptions,
): AsyncGenerator<string> {
  if (!json) yield* describeFormat(table);
  const time = asOf === 'now' ? new Date().toISOString() : asOf;
  for await (const { record, result } of firstRecords(table, time)) {
    if (json) yield JSON.stringify({ line: record.line, ...outcome(result) });
    else yield* describeRecord({ record, result });
  }
  if (json) return;
  const unused = table.ignored();
  if (unused.length > 0) yield `\nnot used: ${unused.join(', ')}`;
  for (const each of table.warnings.list) yield `\nwarning: ${describeWarning(each)}`;
  yield '\nNothing was written.';
}

async function* firstRecords(table: Table, time: string | undefined): AsyncGenerator<ParsedRecord> {
  let left = previewedRecords;
  const asOf = time === undefined ? undefined : () => time;
  for await (const records of table.read(table.start, { asOf })) {
    yield* records.slice(0, left);
    left -= records.length;
    if (left <= 0) return;
  }
}

function* describeFormat(table: Table): Generator<string> {
  const { name, format, notes } = table;
  if (format.kind === 'csv') {
    const delimiter = delimiterNames[format.delimiter] ?? format.delimiter;
    yield `${name}: CSV with ${delimiter}, ${format.header.length} columns`;
  } else {
    yield `${name}: NDJSON`;
  }
  yield* notes;
}

function* describeRecord({ record, result }: ParsedRecord): Generator<string> {
  if (Array.isArray(result)) {
    for (const reject of result) {
      const { column, rule } = reject;
      yield `\nline ${record.line}  rejected: ${column} ${explainReject(reject)} (${rule})`;
    }
    return;
  }
  yield `\nline ${record.line}`;
  for (const [name, value] of Object.entries(givenValues(result))) {
    yield `  ${name.padEnd(21)} ${value ?? '–'}`;
  }
}

const outcome = (result: CustomerRow | Reject[]): object =>
  Array.isArray(result)
    ? { rejected: result.map(({ column, rule }) => ({ column, rule })) }
    : { customer: givenValues(result) };

/** Without the columns that the import would leave unchanged. */
function givenValues({ values, given }: CustomerRow): Record<string, string | null> {
  const shown = columns.filter((column) => !(column in givenBits) || given & givenBits[column]!);
  return Object.fromEntries(shown.map((column) => [column, values[column] ?? null]));
}
