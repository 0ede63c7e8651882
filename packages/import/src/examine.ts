/** Reads files before anything is written, to find customers that an import would lose, merge or double. */
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { nothingAccepted, type Accepted } from './accept.ts';
import { connectAsWriter } from './connect-as-writer.ts';
import { escapeText } from './copy-line.ts';
import { endOnAbort } from './end-on-abort.ts';
import { createPeople, findPeople, peopleColumns } from './find-people.ts';
import { judge, placeOf, type Found } from './findings.ts';
import { readIdNamespace } from './id-namespace.ts';
import { RecordEvidence } from './record-evidence.ts';
import type { ParsedRecord, Table } from './table.ts';

export interface ExamineOptions {
  databaseUrl: string;
  accept?: Accepted | undefined;
  /** Given by the user: amounts in others are rejected. */
  currency?: string | undefined;
  /** Customers that no record is about are removed, so new ones cannot double them. */
  replacing?: boolean | undefined;
  log: (line: string) => void;
  onProgress?: ((read: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Reports what it finds. Throws if it is more than a few and not accepted. */
export async function examine(tables: readonly Table[], options: ExamineOptions): Promise<void> {
  const client = await connectAsWriter(options.databaseUrl);
  try {
    await endOnAbort(client, options.signal, () => compare(client, tables, options));
  } finally {
    await client.end();
  }
}

async function compare(
  client: pg.Client,
  tables: readonly Table[],
  options: ExamineOptions,
): Promise<void> {
  const { accept = nothingAccepted, currency, log } = options;
  const accepted = currency === undefined ? accept : new Set([...accept, 'currencies' as const]);
  // Whole tables are joined, so the joins that are off for batches are useful. Compiling takes longer than it saves.
  await client.query('set enable_hashjoin = on; set enable_mergejoin = on; set jit = off');
  await createPeople(client);
  const evidence = new RecordEvidence();
  for (const [file, table] of tables.entries()) {
    await copy(client, linesOf(table, file, await readIdNamespace(client), evidence, options));
  }
  const found = { ...(await findPeople(client)), ...evidence.found };
  const people = options.replacing ? withoutKnown(found) : found;
  const different = evidence.currencies.describe(tables);
  judge(people, { read: evidence.read, different }, tables, { accept: accepted, log });
}

const none = { count: 0, weighed: 0, place: null };

const withoutKnown = (found: Found): Found => ({
  ...found,
  'known-people': none,
  'known-addresses': none,
});

async function copy(client: pg.Client, lines: AsyncGenerator<Buffer>): Promise<void> {
  await pipeline(
    lines,
    client.query(copyFrom(`copy pg_temp.people (${peopleColumns}) from stdin`)),
  );
}

async function* linesOf(
  table: Table,
  file: number,
  namespace: Buffer,
  evidence: RecordEvidence,
  { onProgress }: ExamineOptions,
): AsyncGenerator<Buffer> {
  for await (const records of table.read(table.start, {
    namespace,
    examining: true,
    identityOnly: true,
  })) {
    let lines = '';
    for (const parsed of records) {
      lines += lineOf(parsed, file);
      evidence.add(parsed, file, table);
    }
    onProgress?.(evidence.read);
    if (lines !== '') yield Buffer.from(lines);
  }
}

function lineOf({ record, result, matches }: ParsedRecord, file: number): string {
  if (Array.isArray(result)) return '';
  const { uuid, values } = result;
  const at = matches?.idColumn;
  const byAddress = at !== undefined && matches!.fields[at] === 'email_address';
  const similar =
    at === undefined || byAddress
      ? String.raw`\N`
      : escapeText(withoutZerosAndCase(String(record.cells[at])));
  const email = escapeText(values.email_address ?? '');
  const name = escapeText(values.full_name ?? '');
  return `${uuid}\t${placeOf(file, record.line)}\t${at === undefined ? 'f' : 't'}\t${similar}\t${email}\t${name}\n`;
}

const withoutZerosAndCase = (id: string): string =>
  id.trim().replace(/^'/, '').replace(/^0+/, '').toLowerCase();
