/** Shows how the first records would be imported. */
import { givenBits, type CustomerRow } from './customer-row.ts';
import { rules, type Reject } from './faults.ts';
import { columns } from './fields.ts';
import type { ParsedRecord, Table } from './table.ts';

const previewedRecords = 5;
const delimiterNames: Record<string, string> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'pipes',
};

/** Yields lines of text, or with `json` one JSON object per record. */
export async function* previewTable(table: Table, json: boolean): AsyncGenerator<string> {
  if (!json) yield* describeFormat(table);
  for await (const { record, result } of firstRecords(table)) {
    if (json) yield JSON.stringify({ line: record.line, ...outcome(result) });
    else yield* describeRecord({ record, result });
  }
  if (!json) yield '\nNothing was written.';
}

async function* firstRecords(table: Table): AsyncGenerator<ParsedRecord> {
  let left = previewedRecords;
  for await (const records of table.read(table.start)) {
    yield* records.slice(0, left);
    left -= records.length;
    if (left <= 0) return;
  }
}

function* describeFormat({ name, format, ignored }: Table): Generator<string> {
  if (format.kind === 'csv') {
    const delimiter = delimiterNames[format.delimiter] ?? format.delimiter;
    yield `${name}: CSV with ${delimiter}, ${format.header.length} columns`;
  } else {
    yield `${name}: NDJSON`;
  }
  if (ignored.length > 0) yield `ignored columns: ${ignored.join(', ')}`;
}

function* describeRecord({ record, result }: ParsedRecord): Generator<string> {
  if (Array.isArray(result)) {
    for (const { column, rule } of result) {
      yield `\nline ${record.line}  rejected: ${column} ${rules[rule]} (${rule})`;
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
  const shown = columns.filter(
    (column) => !(column in givenBits) || given & givenBits[column as keyof typeof givenBits],
  );
  return Object.fromEntries(shown.map((column) => [column, values[column] ?? null]));
}
