/** Exports of 15 systems, with few columns and with all: nobody is lost, merged or doubled. */
import { writeFile } from 'node:fs/promises';
import { examine, openTable } from '@clientele/import';
import {
  createTestDatabase,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';
import { exportOf, people, systems, type System } from './setup/systems.ts';

let database: TestDatabase;
let folder: TemporaryFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const reading = { map: new Map(), stdin: process.stdin, deletes: false };

/** Imports as a person does: if the command asks for an option, with what it suggests. */
async function importAsAsked(path: string, system: string): Promise<string | undefined> {
  let idColumn: string | undefined;
  try {
    await openTable(path, reading);
  } catch (error) {
    const advice = /--id-column (?:'([^']+)'|(\S+))/.exec((error as Error).message)!;
    idColumn = (advice[1] ?? advice[2])!.replace(/^SYSTEM:/, `${system}:`);
  }
  const table = await openTable(path, { ...reading, idColumn });
  const found: string[] = [];
  await examine([table], { databaseUrl: database.url, log: (line) => found.push(line) });
  expect(found).toEqual([]);
  await importHere(database.url, path, {
    idColumn,
    batchSize: 3,
    rejects: folder.path('rejected'),
  });
  return idColumn;
}

const expected = people.map(({ n, first, last }) => ({
  email_address: `person${n}@mail.example`,
  full_name: `${first} ${last}`,
}));

const reversed = people.toReversed();

test('there are 15 systems', () => {
  expect(new Set(systems.map(({ system }) => system)).size).toBe(15);
});

test.each(systems)('$system', async ({ system, few, all }: System) => {
  const orders = [
    [few, all],
    [all, few],
  ];
  for (const shapes of orders) {
    await database.query('truncate customers, clientele.imports');
    for (const whom of [people, reversed]) {
      for (const columns of shapes) {
        const path = folder.path('export.csv');
        await writeFile(path, exportOf(columns, whom));
        await importAsAsked(path, system);
      }
    }
    const found = await database.query(
      `select email_address, full_name from customers order by email_address`,
    );
    expect(found).toEqual(expected);
  }
});
