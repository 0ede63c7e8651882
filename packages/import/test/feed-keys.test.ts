/** Keys and operations that a feed does not know are named, and a delete is never read as a change. */
import { readFile, writeFile } from 'node:fs/promises';
import { openFeed } from '@clientele/import';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { readReasons } from './setup/reasons.ts';
import { syncHere } from './setup/sync-here.ts';

const { database, folder } = setUpDatabaseAndFolder();

const record = (more: object): string =>
  JSON.stringify({ uuid: id(1), full_name: 'A', email_address: 'a@mail.example', ...more });

async function unusedIn(path: string): Promise<string | undefined> {
  const feed = await openFeed(path, {
    map: new Map(),
    stdin: process.stdin,
    follow: false,
    signal: new AbortController().signal,
    log: () => undefined,
  });
  for await (const _ of feed.read(feed.start, {})) continue;
  return feed.unused.describe();
}

test('unused keys are counted, and named once', async () => {
  const path = folder.path('typos.ndjson');
  await writeFile(
    path,
    `${[record({ phone_numbr: '1' }), record({ phone_numbr: '2' }), record({ x: 1 })].join('\n')}\n`,
  );
  expect(await unusedIn(path)).toBe(
    'not used: "phone_numbr" (did you mean phone_number? --map phone_numbr=phone_number) in 2 records, "x" in 1 record',
  );
});

test('of 30,000 different keys, some are named', async () => {
  const path = folder.path('many-keys.ndjson');
  const records = Array.from({ length: 3_000 }, (_, n) =>
    record(Object.fromEntries(Array.from({ length: 10 }, (__, i) => [`key-${n}-${i}`, 1]))),
  );
  await writeFile(path, `${records.join('\n')}\n`);
  const described = await unusedIn(path);
  expect(described).toMatch(/^not used: "key-0-0" in 1 record, .* and 960 or more$/);
  expect(described!.length).toBeLessThan(2_000);
});

test.each([
  [{ Op: 'delete' }, 'the key "Op" is not read'],
  [{ OP: 'delete' }, 'the key "OP" is not read'],
  [{ __op: 'd' }, 'the key "__op" is not read'],
  [{ __deleted: 'true' }, 'the key "__deleted" is not read'],
  [{ deleted: true }, 'the key "deleted" is not read'],
  [{ deleted: 1 }, 'the key "deleted" is not read'],
  [{ deleted: '1' }, 'the key "deleted" is not read'],
  [{ is_deleted: 'yes' }, 'the key "is_deleted" is not read'],
  [{ IsDeleted: 'TRUE' }, 'the key "IsDeleted" is not read'],
  [{ deleted: 'wahr' }, 'the key "deleted" is not read'],
  [{ deleted_at: '2026-01-31T09:05:00Z' }, 'the key "deleted_at" is not read'],
  [{ op: 'Delete' }, 'it must be upsert, delete, erase'],
  [{ op: 'd' }, 'it must be upsert, delete, erase'],
  [{ op: 'd', before: {}, after: null, source: {} }, 'an envelope of Debezium'],
  [{ schema: {}, payload: {} }, 'an envelope of Debezium'],
])('%o is rejected by name', async (more, reason) => {
  const path = folder.path(
    `op-${JSON.stringify(more).length}-${Object.keys(more).join('')}.ndjson`,
  );
  await writeFile(path, `${record(more)}\n`);
  const rejects = folder.path('rejected');
  expect(await syncHere(database.url, path, { rejects, fromStart: true })).toMatchObject({
    inserted: 0,
    rejected: 1,
  });
  const list = await readFile(rejects);
  expect(list.toString().replaceAll('\\"', '"')).toContain(reason);
  expect(readReasons(list)).toEqual([[1, 'op', 'op']]);
});

test.each([
  { __deleted: 'false', op: 'upsert' },
  { deleted: 0 },
  { deleted: '0' },
  { deleted: '' },
  { deleted: null },
  { IsDeleted: 'FALSE' },
  { is_deleted: 'nein' },
  { deleted_at: null },
  { deletedAt: '0000-00-00 00:00:00' },
])('a record that says it is not deleted is applied: %o', async (more) => {
  await database.query('truncate customers');
  const path = folder.path(`kept-${JSON.stringify(more).length}.ndjson`);
  await writeFile(path, `${record(more)}\n`);
  const rejects = folder.path('rejected');
  expect(await syncHere(database.url, path, { rejects, fromStart: true })).toMatchObject({
    inserted: 1,
  });
});

test('a key that is ignored by --map deletes nobody', async () => {
  await database.query('truncate customers');
  const path = folder.path('ignored.ndjson');
  await writeFile(path, `${record({ deleted: true })}\n`);
  const map = new Map([['deleted', 'ignore']] as const);
  const rejects = folder.path('rejected');
  expect(await syncHere(database.url, path, { rejects, map })).toMatchObject({ inserted: 1 });
});

test.each([
  [{ Vorname: 'Eva', Name: 'Müller' }, 'Eva Müller'],
  [{ Name: 'Müller', Vorname: 'Eva' }, 'Eva Müller'],
  [{ Vorname: 'Eva', Name: 'Eva Müller' }, 'Eva Müller'],
  [{ Vorname: 'Eva', Name: 'Müller, Eva' }, 'Müller, Eva'],
  [{ Vorname: 'Eva', Name: 'Evans' }, 'Eva Evans'],
  [{ Vorname: null, Name: 'Example GmbH' }, 'Example GmbH'],
  [{ Name: 'Eva', Surname: 'Müller' }, 'Eva Müller'],
  [{ Nombre: 'Eva', Apellidos: 'Núñez' }, 'Eva Núñez'],
  [{ Voornaam: 'Eva', Achternaam: 'de Vries' }, 'Eva de Vries'],
  [{ first_name: 'Eva', full_name: 'E. Müller' }, 'E. Müller'],
])('each record of a feed says what its name is: %o', async (names, expected) => {
  await database.query('truncate customers');
  const path = folder.path('names.ndjson');
  const rest = { uuid: id(1), email_address: 'eva@mail.example' };
  await writeFile(path, `${JSON.stringify({ ...rest, ...names })}\n`);
  await syncHere(database.url, path, { rejects: folder.path('rejected'), fromStart: true });
  expect(await database.query('select full_name from customers')).toEqual([
    { full_name: expected },
  ]);
});
