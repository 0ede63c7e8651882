/** Whatever a file holds, the import ends, everything good lands, and every bad record is named. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { importHere } from './setup/import-here.ts';
import { nastyFiles, type NastyFile } from './setup/nasty-files.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'clientele-corpus-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database[Symbol.asyncDispose]();
});

async function importNasty(file: NastyFile) {
  const { content, options = {} } = file;
  const path = join(folder, 'file');
  await writeFile(path, content);
  const rejects = join(folder, 'rejects');
  await rm(rejects, { force: true });
  const tally = await importHere(database.url, path, {
    ...options,
    map: new Map(Object.entries(options.map ?? {})),
    batchSize: file.partly ? 10_000 : 2,
    rejects,
  });
  const told = await readFile(rejects, 'utf8').catch(() => 'line\n');
  const lines = told.trimEnd().split('\n').slice(1);
  return {
    tally,
    rejects: lines.map((line) => {
      const [number, column, rule] = line.split(',');
      return [Number(number), column, rule];
    }),
  };
}

test('the corpus holds at least 100 files', () => {
  expect(nastyFiles.length).toBeGreaterThanOrEqual(100);
});

test.each(nastyFiles)('$name', async (file) => {
  await database.query('delete from customers');
  if (file.refused) {
    await expect(importNasty(file)).rejects.toMatchObject({
      name: 'ImportError',
      message: expect.stringMatching(file.refused),
    });
    if (!file.partly) expect(await database.query('select from customers')).toEqual([]);
    return;
  }
  const { tally, rejects } = await importNasty(file);
  const customers = await database.query<Record<string, unknown>>('select * from customers');
  const landed = customers.map(({ full_name }) => String(full_name));
  expect(rejects).toEqual(file.rejects ?? []);
  expect(new Set(landed)).toEqual(new Set(file.lands));
  expect(landed).toHaveLength(file.lands!.length);
  if (file.as)
    expect(JSON.parse(JSON.stringify(customers[0], exactNumbers))).toMatchObject(file.as);
  const { read, inserted, updated, unchanged, rejected, superseded } = tally;
  expect(read).toBe(inserted + updated + unchanged + rejected + superseded);
  expect(rejected).toBe(new Set(rejects.map(([line]) => line)).size);
});

/** The driver hands out bigint as text. */
const exactNumbers = (key: string, value: unknown): unknown =>
  key === 'total_orders' || key === 'lifetime_value_cents' ? Number(value) : value;
