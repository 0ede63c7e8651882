/** The first records as they would land. */
import { givenBits } from './customer-row.ts';
import { rules } from './faults.ts';
import { columns } from './fields.ts';
import type { Table } from './table.ts';

const shownRows = 5;
const delimiterWords: Record<string, string> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
};

export async function previewTable(
  table: Table,
  { json }: { json?: boolean },
  { stdout }: { stdout: NodeJS.WritableStream },
): Promise<void> {
  const { form } = table;
  const print = (line: string): void => void stdout.write(`${line}\n`);
  if (!json) {
    const delimited =
      form.kind === 'csv' &&
      `CSV with ${delimiterWords[form.delimiter] ?? form.delimiter}, ${form.header.length} columns`;
    print(`${table.name}: ${delimited || 'NDJSON'}`);
    if (table.ignored.length > 0) print(`not used: ${table.ignored.join(', ')}`);
  }
  let shown = 0;
  for await (const some of table.read(table.start)) {
    for (const { record, made } of some) {
      if (json) print(JSON.stringify({ line: record.line, ...land(made) }));
      else if (Array.isArray(made)) {
        for (const { column, rule } of made) {
          print(`\nline ${record.line}  rejected: ${column} ${rules[rule]} (${rule})`);
        }
      } else {
        print(`\nline ${record.line}`);
        for (const [name, value] of Object.entries(land(made).customer!)) {
          print(`  ${name.padEnd(21)} ${value ?? '–'}`);
        }
      }
      shown += 1;
      if (shown === shownRows) {
        if (!json) print('\nNothing was written.');
        return;
      }
    }
  }
  if (!json) print('\nNothing was written.');
}

type Landing = { customer?: Record<string, string | null>; rejected?: object[] };

function land(made: Parameters<typeof Array.isArray>[0]): Landing {
  if (Array.isArray(made)) {
    return { rejected: made.map(({ column, rule }) => ({ column, rule })) };
  }
  const { values, given } = made as { values: Record<string, string | null>; given: number };
  const spoken = columns.filter(
    (column) => !(column in givenBits) || given & givenBits[column as keyof typeof givenBits],
  );
  return { customer: Object.fromEntries(spoken.map((column) => [column, values[column] ?? null])) };
}
