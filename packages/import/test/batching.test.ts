/** The batch size does not change the result. */
import { writeFile } from 'node:fs/promises';
import { customerId, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';

const { database, folder } = setUpDatabaseAndFolder();

const header = 'uuid,full_name,email_address,updated_at\n';

const names = async (): Promise<Record<string, string>> => {
  const rows = await database.query<{ n: string; full_name: string }>(
    `select right(uuid::text, 1) as n, full_name from customers order by uuid`,
  );
  return Object.fromEntries(rows.map(({ n, full_name }) => [n, full_name]));
};

test('the result is the same as applying the records one by one, for any batch size', async () => {
  const record = fc.record({
    n: fc.integer({ min: 1, max: 3 }),
    name: fc.constantFrom('A', 'B', 'C'),
    version: fc.constantFrom('', '2026-01-01', '2026-01-02', '2026-01-03'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      async (records, batch) => {
        await database.query('truncate public.customers, clientele.imports');
        const expected = new Map<number, { name: string; version: string }>();
        for (const { n, name, version } of records) {
          if (version >= (expected.get(n)?.version ?? '')) expected.set(n, { name, version });
        }
        const lines = records.map(
          ({ n, name, version }) => `${customerId(n)},${name},x@mail.example,${version}\n`,
        );
        await writeFile(folder.path('some.csv'), [header, ...lines].join(''));
        const tally = await importHere(database.url, folder.path('some.csv'), {
          batchSize: batch,
          rejects: folder.path('rejects.csv'),
        });
        const { read, inserted, updated, unchanged, rejected, superseded } = tally;
        expect(read).toBe(inserted + updated + unchanged + rejected + superseded);
        expect(await names()).toEqual(
          Object.fromEntries(
            [...expected].toSorted(([a], [b]) => a - b).map(([n, { name }]) => [n, name]),
          ),
        );
      },
    ),
    { numRuns: Number(process.env['IMPORT_RUNS'] ?? 40) },
  );
});
