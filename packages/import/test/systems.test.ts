/** Exports of 15 systems, with few columns and with all: nobody is lost, merged or doubled. */
import { writeFile } from 'node:fs/promises';
import { openTable } from '@clientele/import';
import { setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { examineHere } from './setup/examine-here.ts';
import { importHere } from './setup/import-here.ts';
import { exportOf, outlook, people, systems, type Columns, type System } from './setup/systems.ts';

const { database, folder } = setUpDatabaseAndFolder();

const reading = { map: new Map(), stdin: process.stdin, deletes: false };

/** The option that the command asks for, if it does. */
async function advice(path: string): Promise<string | undefined> {
  try {
    await openTable(path, reading);
    return undefined;
  } catch (error) {
    const [, quoted, plain] = /--id-column (?:'([^']+)'|(\S+))/.exec((error as Error).message)!;
    return quoted ?? plain!;
  }
}

const load = (path: string, idColumn: string | undefined) =>
  importHere(database.url, path, { idColumn, batchSize: 3, rejects: folder.path('rejected') });

/** Imports as a person does: if the command asks for an option, with what it suggests. */
async function importAsAsked(path: string, system: string): Promise<void> {
  const idColumn = (await advice(path))?.replace(/^SYSTEM:/, `${system}:`);
  const { warnings, refused } = await examineHere(database.url, [path], { idColumn });
  expect({ warnings, refused }).toEqual({ warnings: [], refused: undefined });
  await load(path, idColumn);
}

async function save(columns: Columns, whom = people): Promise<string> {
  const path = folder.path('export.csv');
  await writeFile(path, exportOf(columns, whom));
  return path;
}

const expected = people.map(({ n, first, last }) => ({
  email_address: `person${n}@mail.example`,
  full_name: `${first} ${last}`,
}));

const reversed = people.toReversed();

test('there are 15 systems', () => {
  expect(new Set(systems.map(({ system }) => system)).size).toBe(15);
});

/** In both orders of the shapes, each followed by the same with the people in reverse. */
async function importBoth({ system, few, all }: System): Promise<void> {
  const orders = [
    [few, all],
    [all, few],
  ];
  for (const shapes of orders) {
    await database.query('truncate customers, clientele.imports');
    for (const whom of [people, reversed]) {
      for (const columns of shapes) {
        await importAsAsked(await save(columns, whom), system);
      }
    }
    const found = await database.query(
      `select email_address, full_name from customers order by email_address`,
    );
    expect(found).toEqual(expected);
  }
}

test.each(systems)('$system', importBoth);

test.each(outlook)('Outlook in $language', async (system) => {
  await importBoth(system);
  const logged: string[] = [];
  const path = await save(system.all);
  await importHere(database.url, path, {
    idColumn: (await advice(path))!,
    batchSize: 3,
    rejects: folder.path('rejected'),
    log: (line) => logged.push(line),
  });
  expect(logged).toEqual([`${path}: not used: "${system.unused}"`]);
});

test('an export that is recognised stops if the system was imported under a name of one’s own', async () => {
  const named: string[] = [];
  for (const { system, few, all } of systems) {
    await database.query('truncate customers, clientele.imports');
    const asked = await advice(await save(few));
    if (!asked?.startsWith('SYSTEM:')) continue;
    named.push(system);
    await load(await save(few), asked.replace('SYSTEM', 'shop'));
    const { refused } = await examineHere(database.url, [await save(all)]);
    expect(refused, system).toMatch(/--id-column NAME:….*--accept known-people$/s);
  }
  expect(named).toEqual(['Zendesk', 'Freshdesk', 'Shopify', 'Magento']);
});
