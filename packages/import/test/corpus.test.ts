/** For each file of the corpus: valid records are imported, and every rejected record is listed. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { importHere } from './setup/import-here.ts';
import { difficultFiles, type DifficultFile } from './setup/difficult-files.ts';
import { readReasons } from './setup/reasons.ts';
import { silentFiles } from './setup/silent-files.ts';

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

async function importDifficult(file: DifficultFile) {
  const { content, options = {} } = file;
  const path = join(folder, 'file');
  await writeFile(path, content);
  const rejects = join(folder, 'rejects');
  await rm(rejects, { force: true });
  const warnings: string[] = [];
  const tally = await importHere(database.url, path, {
    log: (line) => warnings.push(line),
    ...options,
    map: new Map(Object.entries(options.map ?? {})),
    batchSize: file.partly ? 10_000 : 2,
    rejects,
  });
  const listed = await readFile(rejects, 'utf8').catch(() => '');
  return {
    tally,
    listed,
    warnings: warnings.filter((line) => line.includes('warning: ')),
    rejects: readReasons(await readFile(rejects).catch(() => Buffer.alloc(0))),
  };
}

test('the corpus has at least 200 files, and 50 whose values mean something else', () => {
  expect(difficultFiles.length + silentFiles.length).toBeGreaterThanOrEqual(250);
  expect(silentFiles.length).toBeGreaterThanOrEqual(50);
});

test.each([...difficultFiles, ...silentFiles])('$name', async (file) => {
  await database.query('delete from customers');
  if (file.refused) {
    await expect(importDifficult(file)).rejects.toMatchObject({
      name: 'ImportError',
      message: expect.stringMatching(file.refused),
    });
    if (!file.partly) expect(await database.query('select from customers')).toEqual([]);
    return;
  }
  const { tally, rejects, listed, warnings } = await importDifficult(file);
  const customers = await database.query<Record<string, unknown>>('select * from customers');
  const imported = customers.map(({ full_name }) => String(full_name));
  expect(rejects).toEqual(file.rejects ?? []);
  expect(new Set(imported)).toEqual(new Set(file.imported));
  expect(imported).toHaveLength(file.imported!.length);
  if (file.explains) expect(listed).toMatch(file.explains);
  const expectedWarnings = (file.warns ?? []).map((each) => expect.stringMatching(each));
  expect(file.warns || silentFiles.includes(file) ? warnings : []).toEqual(expectedWarnings);
  if (file.as)
    expect(JSON.parse(JSON.stringify(customers[0], exactNumbers))).toMatchObject(file.as);
  const { read, inserted, updated, unchanged, rejected, superseded } = tally;
  expect(read).toBe(inserted + updated + unchanged + rejected + superseded);
  expect(rejected).toBe(new Set(rejects.map(([line]) => line)).size);
});

/** The driver returns bigint as a string. */
const exactNumbers = (key: string, value: unknown): unknown =>
  key === 'total_orders' || key === 'lifetime_value_cents' ? Number(value) : value;
