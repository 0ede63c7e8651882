/** Files that people open in a spreadsheet: no text in them runs or splits a cell, and import restores it. */
import { readFile } from 'node:fs/promises';
import type { WireCustomer } from '@clientele/contract';
import { guard } from '@clientele/contract/spreadsheet';
import { createTestDatabase, customerId, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import {
  hasLibreOffice,
  locales,
  open,
  type Locale,
} from '@clientele/sandbox/testing/libre-office';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';
import { hostileCells } from './setup/hostile-cells.ts';

const { database, folder } = setUpDatabaseAndFolder();

const run = async (url: string, ...args: string[]): Promise<void> => {
  const { code, stderr } = await clientele([...args, '--quiet'], { DATABASE_URL: url });
  expect(code, stderr).toBe(args.includes('--rejects') ? 3 : 0);
};

/** Four hostile cells in each. */
const customersOf = (cells: readonly string[]): Partial<WireCustomer>[] =>
  Array.from({ length: cells.length / 4 }, (_, i) => ({
    uuid: customerId(i),
    full_name: cells[4 * i]!,
    email_address: cells[4 * i + 1]!,
    phone_number: cells[4 * i + 2]!,
    company_name: cells[4 * i + 3]!,
    is_verified: true,
    total_orders: 1,
    lifetime_value_cents: -500,
    created_at: '2026-01-31T09:05:00.007Z',
  }));

/** As LibreOffice writes a text. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const asShown = (text: string): string => quoted(guard(text).replaceAll(/\r\n|[\r\n\u2028]/g, ' '));
const formulasIn = (rows: string[][]): string[] =>
  rows.flat().filter((cell) => cell.startsWith('='));

describe.skipIf(!hasLibreOffice)('1,000 hostile cells in LibreOffice', () => {
  const cells = hostileCells(1_000);
  beforeAll(async () => {
    await database.query('delete from customers');
    await database.insert(customersOf(cells));
    await run(database.url, 'export', '--output', folder.path('safe.csv'));
    await run(database.url, 'export', '--raw', '--output', folder.path('raw.csv'));
  });

  const combinations = (Object.keys(locales) as Locale[]).flatMap((locale) =>
    [',', ';', ',;\t'].map((separators) => ({ locale, separators })),
  );
  test.each(combinations)(
    'no formula is evaluated and no cell split: $locale, separated by "$separators"',
    async ({ locale, separators }) => {
      const files = [folder.path('safe.csv')];
      const [safe] = (await open(files, {
        folder: folder.path('.'),
        locale,
        separators,
      })) as [string[][]];
      expect(formulasIn(safe)).toEqual([]);
      expect(cells).toHaveLength(1_000);
      expect(safe).toHaveLength(251);
      if (!separators.includes(',')) {
        expect(safe.filter((row) => row.length !== 1)).toEqual([]);
        return;
      }
      expect(
        safe
          .slice(1)
          .flatMap((row) => row.slice(1, 5))
          .toSorted(),
      ).toEqual(cells.map(asShown).toSorted());
    },
  );

  test.each([',', ';'])(
    'without the guard, formulas are evaluated: separated by "%s"',
    async (separators) => {
      const options = { folder: folder.path('.'), locale: 'de-DE', separators } as const;
      const [raw] = await open([folder.path('raw.csv')], options);
      expect(formulasIn(raw!).length).toBeGreaterThan(separators === ',' ? 50 : 0);
    },
  );
});

test('import restores what export has guarded, and the next export is the same', async () => {
  const cells = hostileCells(1_000, { lines: false }).map((cell) => cell.trim());
  await database.query('delete from customers');
  const customers = customersOf(cells).map((customer) => ({
    ...customer,
    email_address: `"${customer.email_address}"@mail.example`,
  }));
  await database.insert(customers);
  const [first, second] = [folder.path('first.csv'), folder.path('second.csv')];
  await run(database.url, 'export', '--output', first);
  await using other = await createTestDatabase();
  await run(other.url, 'import', first);
  const texts =
    'select full_name, email_address, phone_number, company_name from customers order by uuid';
  expect(await other.query(texts)).toEqual(await database.query(texts));
  await run(other.url, 'export', '--output', second);
  expect(await readFile(second, 'utf8')).toBe(await readFile(first, 'utf8'));
});
