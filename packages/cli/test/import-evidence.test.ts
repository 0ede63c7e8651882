/** Before anything is written, `import` says which customers it would lose, merge or double. */
import { stat } from 'node:fs/promises';
import { customerId as id } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { startClientele } from './setup/executable.ts';
import { csv, head, setUpImports } from './setup/imports.ts';

const { database, inFolder, run, save } = setUpImports();

const all = async (): Promise<string[]> => {
  const rows = await database().query<{ full_name: string }>(
    'select full_name from customers order by full_name',
  );
  return rows.map(({ full_name }) => full_name);
};
const many = (count: number, line: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => line(n));
const person = (key: number | string, n: number): string => `${key},Person ${n},p${n}@mail.example`;

test('identifiers of different people stop the import, and --accept continues it', async () => {
  const lines = [...many(50, (n) => person(n, n)), ...many(10, (n) => person(n, n + 1_000))];
  const file = await save('dup.csv', csv('Number,Name,Email', ...lines));
  const refused = await run(file, '--id-column', 'shop:Number');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(
    `10 identifiers are those of different people, who would become one customer each (the first in ${file}, line 2).\n` +
      'Nothing was written. If this is right, add: --accept repeated-ids\n',
  );
  expect(await all()).toEqual([]);
  const check = await run(file, '--id-column', 'shop:Number', '--check');
  expect(check).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--accept repeated-ids'),
  });
  expect(check.stdout).toContain('An import would give: 50 inserted');
  const accepted = await run(file, '--id-column', 'shop:Number', '--accept', 'repeated-ids');
  expect(accepted).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('warning: 10 identifiers'),
  });
  expect(await all()).toHaveLength(50);
});

test('a few in a large file are announced, and do not stop it', async () => {
  const lines = [...many(2_000, (n) => person(n, n)), person(7, 9_999)];
  const file = await save('few.csv', csv('Number,Name,Email', ...lines));
  const { code, stderr } = await run(file, '--id-column', 'shop:Number');
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^warning: 1 identifier is that of different people.*line 9\)\.$/m,
    ),
  });
});

test('people with a common address stop an import by e-mail address', async () => {
  const file = await save(
    'shared.csv',
    csv('Name,Email', 'Ada,info@acme.example', 'Bob,info@acme.example'),
  );
  expect(await run(file, '--id-column', 'Email')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--accept repeated-ids'),
  });
  expect(await all()).toEqual([]);
});

test('a customer who would become somebody else stops the import', async () => {
  const zendesk = await save('zendesk.csv', csv('id,name,email', '17,Zoe,zoe@mail.example'));
  const magento = await save('magento.csv', csv('ID,Name,Email', '17,Max,max@mail.example'));
  const unscoped = ['--accept', 'unscoped-ids', '--id-column', 'id'];
  expect(await run(zendesk, ...unscoped)).toMatchObject({ code: 0 });
  expect(await run(magento, ...unscoped)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--accept other-people'),
  });
  expect(await all()).toEqual(['Zoe']);
});

test('leading zeros that a spreadsheet removed stop the import, in a file and in a later one', async () => {
  const header = 'Number,Name,Email';
  const before = await save(
    'before.csv',
    csv(header, '00018,Ada,ada@mail.example', '00019,Bob,bob@mail.example'),
  );
  const after = await save(
    'after.csv',
    csv(header, '18,Ada,ada@mail.example', '19,Bob,bob@mail.example'),
  );
  const both = await save(
    'both.csv',
    csv(header, '00018,Ada,ada@mail.example', '18,Ada,ada@new.example'),
  );
  const options = ['--id-column', 'erp:Number'];
  expect(await run(both, ...options)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/1 identifier differs .* leading zeros.*--accept similar-ids/s),
  });
  expect(await run(before, ...options)).toMatchObject({ code: 0 });
  expect(await run(after, ...options)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /2 new customers have the name and the address .*--accept known-people/s,
    ),
  });
  expect(await all()).toEqual(['Ada', 'Bob']);
});

test('files in different currencies stop the import', async () => {
  const line = (n: number, amount: string): string =>
    csv(`${head},lifetime_value`, `${id(n)},A${n},a${n}@mail.example,${amount}`);
  const files = [await save('eur.csv', line(1, '5.00 €')), await save('usd.csv', line(2, '$5.00'))];
  expect(await run(...files)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /1 in EUR \(in .*eur\.csv, line 2\), 1 in USD \(in .*usd\.csv.*--accept currencies/s,
    ),
  });
  expect(await all()).toEqual([]);
});

test('a UTF-8 file with another encoding is refused, and bytes that cannot be decoded are rejected', async () => {
  const utf8 = await save('utf8.csv', csv(head, `${id(1)},Jürgen Groß,j@mail.example`));
  expect(await run(utf8, '--encoding', 'windows-1252')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The file is in UTF-8, not in windows-1252.'),
  });
  const bytes = Buffer.concat([
    Buffer.from(csv(head, `${id(1)},Good,g@mail.example`)),
    Buffer.from(`${id(2)},`),
    Buffer.from([0x83, 0x65, 0x83, 0xff]),
    Buffer.from(',b@mail.example\n'),
  ]);
  expect(await run(await save('sjis.csv', bytes), '--encoding', 'shift_jis')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('1 record cannot be decoded'),
  });
  expect(await all()).toEqual(['Good']);
});

test('--replace that would remove more than a tenth needs --accept removals', async () => {
  const lines = many(40, (n) => `${id(n)},Person ${n},p${n}@mail.example`);
  expect(await run(await save('all.csv', csv(head, ...lines)))).toMatchObject({ code: 0 });
  const cut = await save('cut.csv', csv(head, ...lines.slice(0, 20)));
  expect(await run(cut, '--replace', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/20 of 40 customers are not in the files.*--accept removals/s),
  });
  expect(await all()).toHaveLength(40);
  expect(await run(cut, '--replace', '--yes', '--accept', 'removals')).toMatchObject({ code: 0 });
  expect(await all()).toHaveLength(20);
});

test('--replace lists the records that the database refuses, and changes nothing', async () => {
  await database().query(`alter table customers add constraint no_bob check (full_name <> 'Bob')`);
  const file = await save(
    'refused.csv',
    csv(head, `${id(1)},Ada,a@mail.example`, `${id(2)},Bob,b@mail.example`),
  );
  try {
    const { code, stderr } = await run(file, '--replace', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.not.stringContaining('bug') });
    expect(stderr).toMatch(/The database refused records: 1\. Nothing was changed/);
  } finally {
    await database().query('alter table customers drop constraint no_bob');
  }
});

test.each([
  [
    'a unique index',
    'create unique index one_address on customers (email_address)',
    'drop index one_address',
    'The database refused the change because of one_address (Key (email_address) already exists).',
  ],
  [
    'a foreign key',
    'create table public.tickets (customer uuid constraint ticket_of references customers)',
    'drop table public.tickets',
    'The database refused the change because of ticket_of (Key (uuid) is still referenced from table "tickets").',
  ],
])('--replace that %s refuses names it, and no values', async (_, create, drop, message) => {
  await run(await save('before.csv', csv(head, `${id(1)},Ada,a@mail.example`)));
  const file = await save(
    'together.csv',
    csv(head, `${id(2)},Bob,b@mail.example`, `${id(3)},Bob B,b@mail.example`, `${id(4)},,x`),
  );
  await database().query(create);
  try {
    if (create.includes('tickets')) {
      await database().query('insert into public.tickets select uuid from customers');
    }
    const { code, stderr } = await run(file, '--replace', '--yes', '--despite-rejects');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('Nothing was changed.');
    expect(stderr).not.toContain('@mail.example');
    expect(await all()).toEqual(['Ada']);
  } finally {
    await database().query(drop);
  }
});

test('standard input is examined too, and its copy is removed', async () => {
  const env = { DATABASE_URL: database().url, TMPDIR: inFolder('.') };
  const args = ['import', '-', '--id-column', 'Email', '--rejects', inFolder('stdin-rejects')];
  await using child = startClientele(args, env, { stdin: 'pipe' });
  child.stdin!.end(csv('Name,Email', 'Ada,info@acme.example', 'Bob,info@acme.example'));
  const { code, stderr } = await child.exited;
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('in standard input, line 2'),
  });
  const { readdir } = await import('node:fs/promises');
  expect(
    (await readdir(inFolder('.'))).filter((name) => name.startsWith('clientele-import-')),
  ).toEqual([]);
});

test('an unknown kind of --accept is explained', async () => {
  const file = await save('good.csv', csv(head, `${id(1)},A,a@mail.example`));
  expect(await run(file, '--accept', 'repeated-id')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean repeated-ids?'),
  });
  expect((await stat(file)).size).toBeGreaterThan(0);
});
