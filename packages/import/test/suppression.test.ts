/** Nobody who was erased is imported again, however the record is spelled and whichever way it comes. */
import { writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { ImportCheck, openTable, RejectFile } from '@clientele/import';
import {
  createSecretFile,
  eraseCustomers,
  readSecretFile,
  type Secret,
  Suppressions,
} from '@clientele/directory';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReplaceOptions } from '../src/replace.ts';
import { takeNewlySuppressed } from '../src/suppressed-records.ts';
import { createStaging } from '../src/upsert.ts';
import { importHere } from './setup/import-here.ts';
import { replaceHere } from './setup/replace-here.ts';
import { syncHere } from './setup/sync-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
let secret: Secret;
beforeAll(async () => {
  await createSecretFile(folder.path('secret'));
  secret = await readSecretFile(folder.path('secret'));
});
beforeEach(async () => {
  await database.query(
    'truncate customers, clientele.imports, clientele.gone_customers, clientele.erasures cascade',
  );
});

const anna = {
  uuid: id(1),
  full_name: 'Anna Sample',
  email_address: 'anna@mail.example',
  phone_number: '+44 20 7946 0123',
};
const bob = { uuid: id(2), full_name: 'Bob', email_address: 'bob@mail.example' };
/** Anna, as other files may have her. */
const returns = [
  anna,
  { ...anna, full_name: 'A. Sample', email_address: 'new@mail.example', phone_number: null },
  { ...anna, uuid: id(11), email_address: ' ANNA@Mail.Example', phone_number: null },
  { ...anna, uuid: id(12), email_address: 'other@mail.example', phone_number: '020 79460123' },
  { ...anna, uuid: id(13), email_address: 'third@mail.example', phone_number: '442079460123' },
];

let files = 0;
async function file(...records: object[]): Promise<string> {
  files += 1;
  const path = folder.path(`some-${files}.ndjson`);
  await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
}
const options = () => ({
  batchSize: 1_000,
  rejects: folder.path('rejects.csv'),
  secretFile: folder.path('secret'),
});
const importAll = async (...records: object[]) =>
  importHere(database.url, await file(...records), options());
const sync = async (...records: object[]) =>
  syncHere(database.url, await file(...records), options());
async function replace(records: object[], more: Partial<ReplaceOptions> = {}) {
  return replaceHere([await file(...records)], {
    databaseUrl: database.url,
    secretFile: folder.path('secret'),
    batch: 1_000,
    rejectPath: folder.path('rejects.csv'),
    ...more,
  });
}
async function check(...records: object[]) {
  const session = await ImportCheck.open(database.url, folder.path('secret'));
  try {
    const reading = { map: new Map(), stdin: process.stdin, deletes: false };
    return await session.check(await openTable(await file(...records), reading), {
      batchSize: 1_000,
      asOf: undefined,
      rejects: new RejectFile(folder.path('rejects.csv')),
      log: () => undefined,
      onProgress: () => undefined,
    });
  } finally {
    await session.close();
  }
}

async function erase(...uuids: string[]): Promise<void> {
  const client = await database.connect();
  await eraseCustomers(client, uuids, { reason: 'asked for it', secret });
}
const names = async (): Promise<string[]> =>
  (
    await database.query<{ full_name: string }>('select full_name from customers order by uuid')
  ).map(({ full_name }) => full_name);
const queued = () => database.query('select uuid from clientele.unchecked_customers');

describe('an erased person', () => {
  test.each([
    ['import', importAll],
    ['sync', sync],
    ['import --replace', (...records: object[]) => replace(records)],
  ])('is not brought back by %s, under any identifier or spelling', async (_, run) => {
    await importAll(anna, bob);
    await erase(anna.uuid);
    const counts = await run(...returns, bob);
    expect(counts).toMatchObject({ read: 6, unchanged: 1, suppressed: 5, superseded: 0 });
    expect(await names()).toEqual(['Bob']);
    expect(await queued()).toEqual([]);
  });

  test('is not brought back by a first import, which copies into the table', async () => {
    await importAll(anna);
    await erase(anna.uuid);
    expect(await importAll(...returns, bob)).toMatchObject({ inserted: 1, suppressed: 5 });
    expect(await names()).toEqual(['Bob']);
    const [saved] = await database.query(
      'select suppressed from clientele.imports order by id desc',
    );
    expect(saved).toEqual({ suppressed: '5' });
  });

  test('is counted by --check as by the import', async () => {
    await importAll(anna, bob);
    await erase(anna.uuid);
    const checked = await check(...returns, bob);
    expect(checked).toMatchObject({ read: 6, unchanged: 1, suppressed: 5 });
    expect(await importAll(...returns, bob)).toMatchObject(checked);
  });

  test('does not come back as an update of another customer', async () => {
    await importAll(anna, bob);
    await erase(anna.uuid);
    const counts = await importAll({ ...bob, email_address: anna.email_address });
    expect(counts).toMatchObject({ updated: 0, suppressed: 1 });
    expect(await database.query('select email_address from customers')).toEqual([
      { email_address: bob.email_address },
    ]);
  });

  test('does not come back as an update of somebody with the same number', async () => {
    const carl = { ...bob, phone_number: '020 7946 0123' };
    await importAll(anna, carl);
    await erase(anna.uuid);
    const counts = await importAll({ ...carl, email_address: anna.email_address });
    expect(counts).toMatchObject({ updated: 0, suppressed: 1 });
    expect(await database.query('select email_address from customers')).toEqual([
      { email_address: bob.email_address },
    ]);
  });

  test('is kept out of a feed that is running when the person is erased', async () => {
    await importAll(anna, bob);
    const stdin = new PassThrough();
    const { promise: committed, resolve } = Promise.withResolvers<void>();
    const onCommit = () => resolve();
    const more = { ...options(), stdin, batchSize: 1, onCommit };
    const running = syncHere(database.url, '-', more);
    stdin.write(`${JSON.stringify(bob)}\n`);
    await committed;
    await erase(anna.uuid);
    stdin.end(`${JSON.stringify({ ...anna, uuid: id(11) })}\n`);
    expect(await running).toMatchObject({ read: 2, unchanged: 1, suppressed: 1 });
    expect(await names()).toEqual(['Bob']);
  });

  test('is kept out of a replacement although erased after the file was read', async () => {
    await importAll(anna, bob);
    const confirm = () => erase(anna.uuid);
    const counts = await replace([{ ...anna, uuid: id(11) }, bob], { confirm });
    expect(counts).toMatchObject({ unchanged: 1, inserted: 0, suppressed: 1 });
    expect(await names()).toEqual(['Bob']);
  });

  test('is taken out of staged records, which are read in portions', async () => {
    await importAll(anna, bob);
    await erase(bob.uuid);
    const client = await database.connect();
    const suppressions = await Suppressions.open(client, folder.path('secret'));
    await createStaging(client, true);
    await client.query(
      `insert into pg_temp.incoming (position, layer, op, given, uuid, email_address)
       select n, 0, 0, 0, gen_random_uuid(), case when n % 8000 = 0 then $1 else n || '@other.example' end
       from generate_series(1, 25000) as n`,
      [anna.email_address],
    );
    await erase(anna.uuid);
    const read: number[] = [];
    const counting = {
      query: async (text: string, values?: unknown[]) => {
        const result = await client.query(text, values);
        if (/incoming|fetch/.test(text)) read.push(result.rows.length);
        return result;
      },
    } as unknown as typeof client;
    await client.query('begin');
    const taken = await takeNewlySuppressed(counting, suppressions);
    await client.query('commit');
    expect(taken).toBe(3);
    expect(Math.max(...read)).toBe(10_000);
    const { rows } = await client.query<{ left: number; still: number }>(
      `select count(*)::int as left, (count(*) filter (where i.email_address = $1))::int as still
       from pg_temp.incoming as i`,
      [anna.email_address],
    );
    expect(rows).toEqual([{ left: 24_997, still: 0 }]);
  });

  test('may be deleted again by a feed', async () => {
    await importAll(anna);
    await erase(anna.uuid);
    expect(await sync({ op: 'delete', uuid: anna.uuid })).toMatchObject({ unchanged: 1 });
  });
});

describe('others', () => {
  test('who share the number stay, and can be updated', async () => {
    const carl = { ...bob, uuid: id(3), full_name: 'Carl', phone_number: '020 7946 0123' };
    await importAll(anna, carl);
    await erase(anna.uuid);
    const married = { ...carl, full_name: 'Carl Both', phone_number: anna.phone_number };
    expect(await importAll(married)).toMatchObject({ updated: 1, suppressed: 0 });
    expect(await replace([married])).toMatchObject({ unchanged: 1, removed: 0, suppressed: 0 });
    expect(await names()).toEqual(['Carl Both']);
  });

  test('are imported if the same bits of their hashes are taken', async () => {
    await importAll(anna);
    await erase(anna.uuid);
    await database.query(
      `insert into clientele.suppressions (hash, erasure, kind)
       select sha256(n::text::bytea), e.id, 'email' from clientele.erasures as e, generate_series(1, 20000) as n`,
    );
    const some = Array.from({ length: 2_000 }, (_, n) => ({
      uuid: id(100 + n),
      full_name: 'C',
      email_address: `customer${n}@mail.example`,
      phone_number: `+1 202 555 01${String(n % 100).padStart(2, '0')}`,
    }));
    expect(await importAll(...some, anna)).toMatchObject({ inserted: 2_000, suppressed: 1 });
  });
});

describe('the secret', () => {
  test('is not needed before somebody is erased', async () => {
    const path = await file(bob);
    const without = { ...options(), secretFile: folder.path('missing') };
    expect(await importHere(database.url, path, without)).toMatchObject({ inserted: 1 });
  });

  test.each([
    ['missing', undefined, /set CLIENTELE_SECRET_FILE/],
    ['unreadable', 'absent', /clientele secret create/],
    ['another one', 'other', /not the secret that people were erased with/],
  ])('that is %s stops an import before it writes', async (_, name, message) => {
    if (name === 'other') await createSecretFile(folder.path(name));
    await importAll(anna);
    await erase(anna.uuid);
    const secretFile = name === undefined ? undefined : folder.path(name);
    const path = await file(bob);
    const run = importHere(database.url, path, { ...options(), secretFile });
    await expect(run).rejects.toThrow(message);
    expect(await names()).toEqual([]);
  });
});
