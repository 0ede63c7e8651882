/** Replacing an empty directory gives the same result as importing the files. */
import { writeFile } from 'node:fs/promises';
import { customerId, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceHere } from './setup/replace-here.ts';
import { importHere } from './setup/import-here.ts';

const { database, folder } = setUpDatabaseAndFolder();

const customers = () =>
  database.query(
    `select c.uuid, c.full_name, c.phone_number, c.company_name, c.total_orders, c.updated_at
     from customers as c order by c.uuid`,
  );
const empty = () =>
  database.query('truncate public.customers, clientele.imports, clientele.gone_customers');

async function replace(paths: string[], batch: number): Promise<void> {
  await replaceHere(paths, { databaseUrl: database.url, batch });
}

test('fields of a customer from two files are merged', async () => {
  await empty();
  const head = 'uuid,full_name,email_address';
  const row = `${customerId(1)},Ada,ada@mail.example`;
  await writeFile(folder.path('phones.csv'), `${head},phone_number\n${row},+1 202 555 0100\n`);
  await writeFile(folder.path('companies.csv'), `${head},company_name\n${row},Example & Co\n`);
  await replace([folder.path('phones.csv'), folder.path('companies.csv')], 4_000);
  expect(await customers()).toMatchObject([
    { phone_number: '+1 202 555 0100', company_name: 'Example & Co' },
  ]);
});

test('records with different fields give the same result as an import, in any order and batch size', async () => {
  const record = fc.record(
    {
      uuid: fc.integer({ min: 1, max: 3 }).map(customerId),
      full_name: fc.constantFrom('A', 'B', 'C'),
      email_address: fc.constant('x@mail.example'),
      phone_number: fc.constantFrom('1', '2', null),
      company_name: fc.constantFrom('X', 'Y', null),
      total_orders: fc.integer({ min: 0, max: 3 }),
      updated_at: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
    },
    { requiredKeys: ['uuid', 'full_name', 'email_address'] },
  );
  const path = folder.path('some.ndjson');
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      async (records, batch) => {
        await writeFile(path, records.map((each) => `${JSON.stringify(each)}\n`).join(''));
        await empty();
        await importHere(database.url, path, { batchSize: batch, rejects: folder.path('r.csv') });
        const imported = await customers();
        await empty();
        await replace([path], batch);
        expect(await customers()).toEqual(imported);
      },
    ),
    { numRuns: Number(process.env['IMPORT_RUNS'] ?? 15) },
  );
});
