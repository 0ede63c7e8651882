/** What files show before anything is written, and what stops an import. */
import { writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import type { TableOptions } from '@clientele/import';
import { beforeEach, describe, expect, test } from 'vitest';
import { examineHere } from './setup/examine-here.ts';
import { importHere } from './setup/import-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(() => database.query('truncate customers'));

type Options = Partial<Omit<TableOptions, 'asOf'>>;

async function save(lines: readonly string[], name = 'file.csv'): Promise<string> {
  const path = folder.path(name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const examined = async (lines: readonly string[], options: Options = {}) =>
  examineHere(database.url, [await save(lines)], options);

type ImportOptions = Partial<Parameters<typeof importHere>[2]>;

async function load(lines: readonly string[], options: ImportOptions = {}): Promise<void> {
  const rejects = folder.path('rejected');
  await importHere(database.url, await save(lines), { batchSize: 100, rejects, ...options });
}

const many = (count: number, line: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => line(n));

describe('parts of names that are not used', () => {
  const columns = 'uuid,Name,First Name,Last Name,Email';
  const whole = many(150, (n) => `${id(n)},Eva Person ${n},Eva,Person ${n},p${n}@mail.example`);

  test('stop the import if they are not in the whole names', async () => {
    const others = many(5, (n) => `${id(500 + n)},Example GmbH,Eva,Müller,q${n}@mail.example`);
    const { refused } = await examined([columns, ...whole, ...others]);
    expect(refused).toMatch(
      /^5 records have a first or last name that is not in their name and would be lost \(the first in .*file\.csv, line 152\)\./,
    );
    expect(refused).toContain('--map Name=ignore');
    expect(refused).toMatch(/--accept unused-names$/);
  });

  test('are a warning if they are few', async () => {
    const { warnings, refused } = await examined([
      columns,
      ...whole,
      `${id(500)},Evans,Eva,,e@mail.example`,
    ]);
    expect(refused).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(/^warning: 1 record has a first or last name that is not in its name/),
    ]);
  });

  test('are not mentioned if the whole names contain them, in any order', async () => {
    expect(
      await examined([
        'uuid;Name;Vorname;Nachname;E-Mail',
        `${id(1)};Müller, Eva;Eva;Müller;e@mail.example`,
        `${id(2)};EVA MARIA MÜLLER;Eva Maria;Müller;e@mail.example`,
        `${id(3)};Example GmbH;;;e@mail.example`,
      ]),
    ).toMatchObject({ warnings: [], refused: undefined });
  });
});

describe('an identifier that a file has twice', () => {
  const columns = 'Number,Name,Email';
  const twice = (one: string, other: string) =>
    examined([columns, `7,${one}`, `7,${other}`], { idColumn: 'shop:Number' });

  test.each([
    ['at one shared address', 'Ada Abel,info@acme.example', 'Bob Brandt,info@acme.example'],
    ['of one family', 'Ada Abel,abel@mail.example', 'Bob Abel,abel@mail.example'],
    ['with the same first name', 'Ada Abel,info@acme.example', 'Ada Brandt,info@acme.example'],
    ['with two addresses', 'Ada Abel,ada@mail.example', 'Bob Brandt,bob@mail.example'],
  ])('is that of different people %s', async (_, one, other) => {
    const { refused } = await twice(one, other);
    expect(refused).toMatch(/^1 identifier is that of different people.*--accept repeated-ids$/s);
  });

  test.each([
    ['in another order', 'Jürgen Groß', '"Groß, Jürgen"'],
    ['in other letters', 'Jürgen Groß', 'JURGEN GROSS'],
    ['with other signs', "Jean-Luc D'Amico", 'Jean Luc D’Amico'],
  ])('is that of one person whose name is written %s', async (_, one, other) => {
    const address = 'ada@mail.example';
    expect(await twice(`${one},${address}`, `${other},${address}`)).toMatchObject({
      warnings: [],
      refused: undefined,
    });
  });

  test('with one name and two addresses is a warning', async () => {
    expect(await twice('Ada Abel,ada@mail.example', 'Ada Abel,ada@new.example')).toMatchObject({
      warnings: [
        expect.stringMatching(/^warning: 1 identifier has several addresses under one name/),
      ],
      refused: undefined,
    });
  });
});

test('a UUID is not given to two people, so with another name at one address it is a change', async () => {
  const lines = ['uuid,Name,Email', `${id(1)},Ada Abel,a@mail.example`];
  await load(lines);
  const changed = `${id(1)},Bob Brandt,a@mail.example`;
  const none = { warnings: [], refused: undefined };
  expect(await examined([lines[0]!, changed])).toMatchObject(none);
  expect(await examined([...lines, changed])).toMatchObject(none);
});

describe('an existing customer', () => {
  const becomes = async (idColumn: string, before: string, after: string) => {
    await load(['Number,Name,Email', `7,${before}`], { idColumn });
    return examined(['Number,Name,Email', `7,${after}`], { idColumn });
  };

  test.each([
    ['shop:Number', 'Ada Abel,info@acme.example', 'Bob Brandt,info@acme.example'],
    ['shop:Number', 'Ada Abel,abel@mail.example', 'Bob Abel,abel@mail.example'],
    ['shop:Number', 'Ada Abel,a@mail.example', 'Ada Brandt,b@mail.example'],
    ['Email', 'Ada Abel,abel@mail.example', 'Bob Abel,abel@mail.example'],
    ['Email', '"Abel, Ada",abel@mail.example', '"Abel, Bob",abel@mail.example'],
  ])('does not become somebody else (by %s: %s, %s)', async (idColumn, before, after) => {
    const { refused } = await becomes(idColumn, before, after);
    expect(refused).toMatch(/^1 customer would get another name.*--accept other-people$/s);
  });

  test.each([
    [
      'another family name',
      'shop:Number',
      'Eva Abel,eva@mail.example',
      'Eva Brandt,eva@mail.example',
    ],
    ['another family name', 'Email', 'Eva Abel,eva@mail.example', 'Eva Brandt,eva@mail.example'],
    ['another address', 'shop:Number', 'Eva Abel,eva@mail.example', 'Eva Abel,eva@new.example'],
    ['a middle name', 'Email', 'Eva Abel,eva@mail.example', 'Eva Maria Abel,eva@mail.example'],
    ['a first name', 'Email', 'Abel,eva@mail.example', 'Eva Abel,eva@mail.example'],
    ['both in another order', 'Email', 'Eva Abel,eva@mail.example', '"Abel, Eva",eva@mail.example'],
  ])('may get %s (by %s)', async (_, idColumn, before, after) => {
    expect(await becomes(idColumn, before, after)).toMatchObject({
      warnings: [],
      refused: undefined,
    });
  });

  test('is recognised under another identifier, with the name in another order', async () => {
    await load(['Number,Name,Email', '7,Eva Abel,eva@mail.example'], { idColumn: 'shop:Number' });
    const { refused } = await examined(['Number,Name,Email', '7,"Abel, Eva",eva@mail.example'], {
      idColumn: 'crm:Number',
    });
    expect(refused).toContain('--accept known-people');
  });
});

describe('records that say that they are deleted', () => {
  test.each([
    ['Op', 'delete'],
    ['__op', 'd'],
    ['deleted', '1'],
    ['IsDeleted', 'true'],
    ['deleted_at', '2026-01-31'],
  ])('stop the import: %s %s', async (column, value) => {
    const lines = [
      `uuid,Name,Email,${column}`,
      `${id(1)},Ada,a@mail.example,`,
      `${id(2)},Bob,b@mail.example,${value}`,
    ];
    const { refused } = await examined(lines);
    expect(refused).toMatch(
      /^1 record says that it is deleted, and would be imported \(in .*, line 3\)\..*--accept deleted-people$/s,
    );
    expect(await examined(lines, { map: new Map([[column, 'ignore']]) })).toMatchObject({
      warnings: [],
      refused: undefined,
    });
  });

  test('do not, if they say that they are changes', async () => {
    const lines = ['uuid,Name,Email,Op,Deleted', `${id(1)},Ada,a@mail.example,u,no`];
    expect(await examined(lines)).toMatchObject({ warnings: [], refused: undefined });
  });
});

describe('currencies', () => {
  const columns = 'uuid,Name,Email,Total Spent';
  const line = (n: number, amount: string): string =>
    `${id(n)},P ${n},p${n}@mail.example,${amount}`;

  test('of the whole file stop the import, not only of its first records', async () => {
    const lines = [columns, ...many(30, (n) => line(n, '€5.00')), line(30, '$7.00')];
    const { refused } = await examined(lines);
    expect(refused).toMatch(
      /^The amounts are in different currencies: 30 in EUR \(the first in .*file\.csv, line 2\), 1 in USD \(in .*file\.csv, line 32\)\./,
    );
    expect(refused).toMatch(/--currency EUR.*--accept currencies$/s);
    expect(await examined(lines, { currency: 'EUR' })).toMatchObject({
      warnings: [expect.stringContaining('1 in USD')],
      refused: undefined,
    });
  });

  test('are counted over all files, and by the column of the currency', async () => {
    const euros = await save([columns, line(1, '5.00 EUR')], 'euros.csv');
    const dollars = await save([`${columns},Currency`, `${line(2, '5.00')},usd`], 'dollars.csv');
    expect((await examineHere(database.url, [euros, dollars])).refused).toMatch(
      /1 in EUR \(in .*euros\.csv, line 2\), 1 in USD \(in .*dollars\.csv, line 2\)/,
    );
  });

  test('that only later records name are those of the file', async () => {
    const lines = [columns, ...many(30, (n) => line(n, '0')), line(30, '€5.00')];
    const { tables, refused } = await examined(lines);
    expect(refused).toBeUndefined();
    expect(tables[0]!.currency).toBe('EUR');
    const results = [];
    for await (const records of tables[0]!.read(tables[0]!.start, {})) results.push(...records);
    expect(results.filter(({ result }) => Array.isArray(result))).toEqual([]);
  });
});

test('of 30,000 different keys, some are named', async () => {
  const records = many(3_000, (n) =>
    JSON.stringify({
      ...{ uuid: id(n), full_name: `P ${n}`, email_address: `p${n}@mail.example` },
      ...Object.fromEntries(many(10, (i) => `key-${n}-${i}`).map((key) => [key, 1])),
    }),
  );
  const logged: string[] = [];
  await load(records, { log: (line) => logged.push(line) });
  const { tables } = await examined(records);
  expect(tables[0]!.ignored()).toHaveLength(1_000);
  expect(logged.join('\n')).toMatch(/not used: "key-0-0", .* and 160 more$/);
});

test('keys that are not used are named before anything is written', async () => {
  const record = (n: number, more: object) =>
    JSON.stringify({ uuid: id(n), full_name: `P ${n}`, email_address: 'p@mail.example', ...more });
  // Examined, but not imported: only the first records were read to open the file.
  const { tables } = await examined([
    ...many(30, (n) => record(n, {})),
    record(30, { phone_numbr: '1' }),
  ]);
  expect(tables[0]!.ignored()).toEqual([
    '"phone_numbr" (did you mean phone_number? --map phone_numbr=phone_number)',
  ]);
  const logged: string[] = [];
  const signal = AbortSignal.abort(new Error('stopped'));
  const log = (line: string): void => void logged.push(line);
  await expect(load([record(1, { phone_numbr: '1' })], { log, signal })).rejects.toThrow('stopped');
  expect(logged).toEqual([expect.stringContaining('not used: "phone_numbr"')]);
});
