/** Rejected records are kept as they were, so that they can be corrected and imported. */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';
import { readReasons } from './setup/reasons.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(async () => {
  await database.query('truncate customers, clientele.imports');
  await rm(folder.path('rejected'), { force: true });
});

type Options = Parameters<typeof importHere>[2];
const load = (path: string, options: Partial<Options> = {}) =>
  importHere(database.url, path, { batchSize: 2, rejects: folder.path('rejected'), ...options });

const names = async (): Promise<string[]> => {
  const rows = await database.query<{ full_name: string }>(
    'select full_name from customers order by uuid',
  );
  return rows.map(({ full_name }) => full_name);
};

const head = 'uuid;full_name;email_address;company_name';
const good = (n: number, name: string): string =>
  `${id(n)};${name};n${n}@mail.example;"Groß; Söhne"`;
const bad = (n: number, name: string): string => good(n, name).replace('@', ' at ');

/** Bytes of the text in an encoding; `?` where it has no such character. */
const encodings: Record<string, (text: string) => Buffer> = {
  utf8: (text) => Buffer.from(text),
  'utf8 with a mark': (text) => Buffer.from(`\uFEFF${text}`),
  'utf-16le': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'windows-1252': (text) => Buffer.from(text, 'latin1'),
};

const settings: Record<string, Partial<Options>> = {
  'windows-1252': { encoding: 'windows-1252' },
};

/** Corrects the list in its own encoding. */
function correct(list: Buffer, encoding: string): Buffer {
  if (encoding === 'utf-16le') {
    return Buffer.from(list.toString('utf16le').replaceAll(' at ', '@'), 'utf16le');
  }
  return Buffer.from(list.toString('latin1').replaceAll(' at ', '@'), 'latin1');
}

describe.each(Object.keys(encodings))('%s', (encoding) => {
  test.each([
    ['plain cells', [head, good(1, 'Ärger'), bad(2, 'Zoë'), bad(3, 'Groß')]],
    [
      'quoted cells',
      [head, good(1, 'Ärger'), bad(2, 'Zoë'), bad(3, 'Groß')].map((line) =>
        line.replaceAll(/(^|;)([^";]*)(?=;|$)/g, '$1"$2"'),
      ),
    ],
    ['a hint for Excel', ['sep=;', head, good(1, 'Ärger'), bad(2, 'Zoë'), bad(3, 'Groß')]],
  ])('a list with %s is corrected and imported as it is', async (_, lines) => {
    const path = folder.path('file.csv');
    await writeFile(path, encodings[encoding]!(`${lines.join('\r\n')}\r\n`));
    expect(await load(path, settings[encoding])).toMatchObject({ inserted: 1, rejected: 2 });
    const corrected = folder.path('corrected.rejected');
    await writeFile(corrected, correct(await readFile(folder.path('rejected')), encoding));
    const logged: string[] = [];
    const log = (line: string): void => void logged.push(line);
    expect(await load(corrected, { ...settings[encoding], log })).toMatchObject({
      inserted: 2,
      rejected: 0,
    });
    expect(await names()).toEqual(['Ärger', 'Zoë', 'Groß']);
    expect(logged).toEqual([]);
  });
});

test('records in Shift JIS keep their bytes', async () => {
  const start = Buffer.from(`${head}\n${id(1)};`);
  const name = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]);
  await writeFile(
    folder.path('sjis.csv'),
    Buffer.concat([start, name, Buffer.from(';a at mail.example;\n')]),
  );
  await load(folder.path('sjis.csv'), { encoding: 'shift_jis' });
  const list = await readFile(folder.path('rejected'));
  expect(list.includes(name)).toBe(true);
  await writeFile(folder.path('sjis.rejected'), correct(list, 'shift_jis'));
  await load(folder.path('sjis.rejected'), { encoding: 'shift_jis' });
  expect(await names()).toEqual(['テスト']);
});

test.each([
  ['shift_jis', [0x83, 0x65, 0xff, 0x83, 0x58]],
  ['euc-jp', [0xc6, 0xfc, 0xff]],
  ['big5', [0xa4, 0xa4, 0xfe, 0xff]],
  ['gb18030', [0xc4, 0xe3, 0xff]],
  ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x30, 0x42, 0x1b, 0x28, 0x42, 0xff]],
  ['windows-1253', [0xc1, 0xd2]],
  ['utf-16le', [0x5a, 0x00, 0x00, 0xdc]],
])('in %s, what cannot be decoded is rejected again', async (encoding, name) => {
  const bytes = (text: string): Buffer =>
    Buffer.from(text, encoding === 'utf-16le' ? 'utf16le' : 'latin1');
  const path = folder.path('undecodable.csv');
  await writeFile(
    path,
    Buffer.concat([bytes(`${head}\n${id(1)};`), Buffer.from(name), bytes(';a@mail.example;\n')]),
  );
  expect(await load(path, { encoding })).toMatchObject({ inserted: 0, rejected: 1 });
  await rename(folder.path('rejected'), folder.path('uncorrected'));
  expect(await load(folder.path('uncorrected'), { encoding })).toMatchObject({
    inserted: 0,
    rejected: 1,
  });
});

test('records in ISO-2022-JP can be corrected', async () => {
  const name = Buffer.from([0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]);
  const path = folder.path('iso.csv');
  await writeFile(
    path,
    Buffer.concat([Buffer.from(`${head}\n${id(1)};`), name, Buffer.from(';a at mail.example;\n')]),
  );
  await load(path, { encoding: 'iso-2022-jp' });
  await writeFile(path, correct(await readFile(folder.path('rejected')), 'iso-2022-jp'));
  await load(path, { encoding: 'iso-2022-jp' });
  expect(await names()).toEqual(['日本']);
});

test('NDJSON is corrected and imported as it is, also what is no object', async () => {
  const record = (n: number, email: string): string =>
    `{"uuid":"${id(n)}", "full_name":"Zoë ${n}","email_address":"${email}"}`;
  const lines = [
    record(1, 'a@mail.example'),
    record(2, 'b at mail.example'),
    '[]',
    record(3, 'c@mail.example').slice(0, -1),
  ];
  await writeFile(folder.path('file.ndjson'), `${lines.join('\n')}\n`);
  expect(await load(folder.path('file.ndjson'))).toMatchObject({ inserted: 1, rejected: 3 });
  const list = await readFile(folder.path('rejected'), 'utf8');
  expect(readReasons(Buffer.from(list))).toEqual([
    [2, 'email_address', 'email'],
    [3, '', 'not-an-object'],
    [4, '', 'json'],
  ]);
  const corrected = list.replace(' at ', '@').replace('c@mail.example"', 'c@mail.example"}');
  await writeFile(folder.path('corrected.ndjson'), corrected);
  expect(await load(folder.path('corrected.ndjson'))).toMatchObject({ inserted: 2, rejected: 1 });
  // The reasons do not pile up.
  const again = await readFile(folder.path('rejected'), 'utf8');
  expect(again.match(/clientele_reject/g)).toHaveLength(1);
});

test('a record that is rejected twice has one reason', async () => {
  await writeFile(folder.path('file.csv'), [head, bad(1, 'A'), ''].join('\n'));
  await load(folder.path('file.csv'));
  const once = await readFile(folder.path('rejected'), 'utf8');
  await writeFile(folder.path('again.csv'), once);
  await load(folder.path('again.csv'));
  expect(await readFile(folder.path('rejected'), 'utf8')).toBe(once);
  expect(once).toBe(
    `clientele_reject;${head}\n"line 2: ""email_address"" is not an e-mail address (email)";${bad(1, 'A')}\n`,
  );
});

test('with --columns, the list has a header, and is imported with the same options', async () => {
  const columns = head.split(';');
  await writeFile(folder.path('file.csv'), [bad(1, 'A'), ''].join('\n'));
  await load(folder.path('file.csv'), { columns });
  const list = await readFile(folder.path('rejected'), 'utf8');
  expect(list).toMatch(/^clientele_reject;uuid;full_name;/);
  await writeFile(folder.path('again.csv'), list);
  await load(folder.path('again.csv'), { columns });
  // Now after the header.
  const again = list.replace('line 1', 'line 2');
  expect(await readFile(folder.path('rejected'), 'utf8')).toBe(again);
  await writeFile(folder.path('corrected.csv'), list.replace(' at ', '@'));
  expect(await load(folder.path('corrected.csv'), { columns })).toMatchObject({
    read: 1,
    inserted: 1,
  });
  expect(await names()).toEqual(['A']);
});

test('a record that the database refuses is listed with its constraint', async () => {
  await database.query(`alter table customers add constraint no_bob check (full_name <> 'Bob')`);
  await writeFile(folder.path('file.csv'), [head, good(1, 'Ada'), good(2, 'Bob'), ''].join('\n'));
  expect(await load(folder.path('file.csv'))).toMatchObject({ inserted: 1, rejected: 1 });
  await database.query('alter table customers drop constraint no_bob');
  const list = await readFile(folder.path('rejected'), 'utf8');
  expect(list).toContain('line 3: was refused by the database (constraint no_bob) (refused)');
  await load(folder.path('rejected'), { rejects: folder.path('rejected.rejected') });
  expect(await names()).toEqual(['Ada', 'Bob']);
});

test('a run without rejects removes the list of an earlier one, and nothing else', async () => {
  await writeFile(folder.path('file.csv'), [head, bad(1, 'A'), ''].join('\n'));
  await load(folder.path('file.csv'));
  expect(existsSync(folder.path('rejected'))).toBe(true);
  await writeFile(folder.path('file.csv'), [head, good(1, 'A'), ''].join('\n'));
  await load(folder.path('file.csv'));
  expect(existsSync(folder.path('rejected'))).toBe(false);
  await writeFile(folder.path('rejected'), 'my own notes');
  await load(folder.path('file.csv'));
  expect(existsSync(folder.path('rejected'))).toBe(true);
  await writeFile(folder.path('rejected'), 'What I know about clientele_reject');
  await load(folder.path('file.csv'));
  expect(existsSync(folder.path('rejected'))).toBe(true);
});

test('an import that is resumed elsewhere lists every rejected record once', async () => {
  const lines = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? bad : good)(n, `N${n}`));
  const path = folder.path('resumed.csv');
  await writeFile(path, [head, ...lines, ''].join('\n'));
  const interrupt = new AbortController();
  const options = { batchSize: 5, fingerprint: 'resumed' };
  await expect(
    load(path, {
      ...options,
      rejects: folder.path('first.rejected'),
      signal: interrupt.signal,
      onProgress: ({ read }) => read > 10 && interrupt.abort(),
    }),
  ).rejects.toThrow('abort');
  // Stopped before it has read them again, it lists nothing.
  const stopped = load(path, { ...options, signal: AbortSignal.abort() });
  await expect(stopped).rejects.toThrow('abort');
  expect(existsSync(folder.path('rejected'))).toBe(false);
  // Something else is where the list of the second run will be.
  await writeFile(folder.path('second.rejected'), 'of another file\n'.repeat(20));
  const tally = await load(path, { ...options, rejects: folder.path('second.rejected') });
  expect(tally.resumedAfter).toBeGreaterThan(0);
  const listed = readReasons(await readFile(folder.path('second.rejected'))).map(([line]) => line);
  expect(listed).toEqual(lines.flatMap((_, n) => (n % 3 === 0 ? [n + 2] : [])));
  expect(tally.rejected).toBe(listed.length);
});

test('a list is complete when its import is resumed, also with what only the database refused', async () => {
  await database.query(`alter table customers add constraint no_bob check (full_name <> 'Bob')`);
  const nameOf = (n: number): string => (n % 4 === 0 ? 'Bob' : `N${n}`);
  const lines = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? bad : good)(n, nameOf(n)));
  const path = folder.path('refused.csv');
  await writeFile(path, [head, ...lines, ''].join('\n'));
  const listOf = async (name: string): Promise<string[]> =>
    (await readFile(folder.path(name), 'utf8')).split('\n').toSorted();
  const options = { batchSize: 5, fingerprint: 'refused' };
  try {
    await load(path, { ...options, rejects: folder.path('whole.rejected') });
    await database.query('truncate customers, clientele.imports');
    const interrupt = new AbortController();
    await expect(
      load(path, {
        ...options,
        rejects: folder.path('first.rejected'),
        signal: interrupt.signal,
        onProgress: ({ read }) => read > 10 && interrupt.abort(),
      }),
    ).rejects.toThrow('abort');
    const tally = await load(path, { ...options, rejects: folder.path('second.rejected') });
    expect(tally.resumedAfter).toBeGreaterThan(0);
    const list = await listOf('second.rejected');
    expect(list).toEqual(await listOf('whole.rejected'));
    expect(list.filter((line) => line.includes('(constraint no_bob)'))).toHaveLength(6);
  } finally {
    await database.query('alter table customers drop constraint no_bob');
  }
});
