/** Files with the headers of common systems import with at most one option, which a message names. */
import { readFile, writeFile } from 'node:fs/promises';
import { setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import type { TableOptions } from '@clientele/import';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';

interface Sample {
  file: string;
  system: string;
  /** The one option that the file needs. */
  option?: Partial<Omit<TableOptions, 'asOf'>>;
  /** How the message, or the list of rejected records, asks for it. */
  asks?: string;
  customers: Record<string, unknown>[];
}

const folderOf = new URL('samples/', import.meta.url);
const samples = JSON.parse(await readFile(new URL('expected.json', folderOf), 'utf8')) as Sample[];

const { database, folder } = setUpDatabaseAndFolder();
beforeAll(async () => {
  // The public one, which the expected identifiers are derived in.
  await database.query(
    `update clientele.id_namespace set namespace = '3d1f0a5e-6b7c-4c0f-9a0e-5a1d4f6b2c88'`,
  );
});
beforeEach(() => database.query('delete from customers'));

async function importSample(file: string, option: Sample['option'] = {}) {
  const rejects = folder.path(`${file}.rejects.csv`);
  const logged: string[] = [];
  try {
    await importHere(database.url, new URL(file, folderOf).pathname, {
      ...option,
      batchSize: 100,
      rejects,
      log: (line) => logged.push(line),
    });
  } catch (error) {
    logged.push((error as Error).message);
  }
  logged.push(await readFile(rejects, 'utf8').catch(() => ''));
  return logged.join('\n');
}

/** As the reference writes them. */
async function customers(): Promise<Record<string, unknown>[]> {
  const rows = await database.query<Record<string, unknown>>(
    `select uuid, full_name, email_address, phone_number, company_name, is_verified,
       total_orders::int, lifetime_value_cents::int, last_order_at, created_at, updated_at
     from customers`,
  );
  return JSON.parse(JSON.stringify(rows)) as Record<string, unknown>[];
}

const byEmail = (a: Record<string, unknown>, b: Record<string, unknown>): number =>
  String(a['email_address']) < String(b['email_address']) ? -1 : 1;

test('there are 40 sample files of nine systems', () => {
  expect(samples.length).toBeGreaterThanOrEqual(40);
  expect(new Set(samples.map(({ system }) => system)).size).toBe(9);
});

test.each(samples)('$file: every field is imported', async (sample) => {
  const { file, system, option, customers: expected } = sample;
  const logged = await importSample(file, option);
  const found = await customers();
  // Without a date in the file, a customer is created at the time of the import.
  const compared = found.map((row) => {
    const { created_at, ...others } = row;
    return 'created_at' in expected[0]! ? { created_at, ...others } : others;
  });
  expect(compared.toSorted(byEmail), logged).toEqual(expected.toSorted(byEmail));
  if (!option?.idColumn) expect(logged).toContain(`recognised as an export of ${system},`);
});

test.each(samples.filter(({ option }) => option))(
  '$file: a message names the option that is needed',
  async ({ file, asks }) => {
    expect(await importSample(file)).toContain(asks);
  },
);

test('--id-column with a system gives the same customers as recognising it', async () => {
  for (const [file, idColumn] of [
    ['stripe-en.csv', 'stripe:id'],
    ['salesforce-en.csv', 'Salesforce:Id'],
    ['salesforce-report-de.csv', 'salesforce:Contact ID'],
  ] as const) {
    const { customers: expected } = samples.find((sample) => sample.file === file)!;
    await importSample(file, { idColumn });
    const ids = (await customers()).map(({ uuid }) => uuid);
    expect(ids, file).toEqual(expect.arrayContaining(expected.map(({ uuid }) => uuid)));
  }
});

test('customers with the same number in two systems stay two customers', async () => {
  const path = folder.path('pipedrive.csv');
  await writeFile(path, 'Person - ID,Person - Name,Person - Email - Work\n17,A,a@mail.example\n');
  const other = folder.path('woo.ndjson');
  await writeFile(
    other,
    '{"id":17,"date_created_gmt":"2024-01-31T10:00:00","is_paying_customer":true,"first_name":"B","email":"b@mail.example"}\n',
  );
  for (const file of [path, other]) {
    await importHere(database.url, file, { batchSize: 10, rejects: folder.path('rejects.csv') });
  }
  const found = (await customers()).map(({ full_name }) => full_name);
  expect(new Set(found)).toEqual(new Set(['A', 'B']));
});
