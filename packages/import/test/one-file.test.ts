/** A file that changes while it is imported is never finished as if it had been complete. */
import { truncateSync, writeFileSync, utimesSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { examine, openTable } from '@clientele/import';
import { beforeEach, expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(() => database.query('truncate customers, clientele.imports'));

const head = 'uuid,full_name,email_address,company_name\n';
const content = (name: string): string =>
  head +
  Array.from(
    { length: 6_000 },
    (_, i) => `${id(i)},${name},x@mail.example,${'c'.repeat(280)}\n`,
  ).join('');

/** Imports a file, which `change` changes as soon as something is committed. */
async function importChanging(file: Buffer | string, change: (path: string) => void) {
  const path = folder.path('changing.csv');
  await writeFile(path, file);
  let changed = false;
  return importHere(database.url, path, {
    batchSize: 100,
    fingerprint: 'changing',
    rejects: folder.path('rejects'),
    onProgress({ read }) {
      if (read === 0 || changed) return;
      changed = true;
      change(path);
    },
  });
}

const finished = () =>
  database.query('select from clientele.imports where finished_at is not null');

test.each([
  ['shrinks', (path: string) => truncateSync(path, 1_000_000)],
  [
    'grows',
    (path: string) => writeFileSync(path, `${id(9_999)},Late,x@mail.example,\n`, { flag: 'a' }),
  ],
  ['is overwritten in place', (path: string) => writeFileSync(path, content('New'))],
])('a file that %s', async (_, change) => {
  await expect(importChanging(content('Old'), change)).rejects.toThrow(
    /changing\.csv was changed while it was read/,
  );
  expect(await finished()).toEqual([]);
});

test('a compressed file', async () => {
  const packed = gzipSync(content('Old'), { level: 0 });
  const change = (path: string) => writeFileSync(path, gzipSync(content('New'), { level: 0 }));
  await expect(importChanging(packed, change)).rejects.toThrow('was changed while it was read');
  expect(await finished()).toEqual([]);
});

test('content that differs between examining and writing is noticed, even with the same size and time', async () => {
  const path = folder.path('same-size.csv');
  await writeFile(path, content('Old'));
  const table = await openTable(path, { map: new Map(), stdin: process.stdin, deletes: false });
  await examine([table], { databaseUrl: database.url, log: () => undefined });
  const { atime, mtime } = statSync(path);
  writeFileSync(path, content('New'));
  utimesSync(path, atime, mtime);
  const read = async (): Promise<void> => {
    for await (const _ of table.read(table.start, {})) continue;
  };
  await expect(read()).rejects.toThrow('was changed while it was read');
});

test('a file that does not change is imported and finished', async () => {
  expect(await importChanging(content('Old'), () => undefined)).toMatchObject({ inserted: 6_000 });
  expect(await finished()).toHaveLength(1);
});
