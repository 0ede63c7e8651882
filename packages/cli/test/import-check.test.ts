/** `clientele import --check`: the whole file, nothing written. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { customerId as id } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { csv, head, row, setUpImports } from './setup/imports.ts';
import { clientele } from './setup/executable.ts';

const { counts, database, inFolder, names, run, save } = setUpImports();

const versioned = `${head},updated_at,Note`;
/** Something of everything, with a customer in several batches. */
const content = csv(
  versioned,
  row(1, 'A', '2026-01-01', ''), // unchanged
  row(2, 'B2', '2026-02-01', ''), // updated
  row(3, 'C0', '2025-12-01', ''), // superseded: older
  row(4, 'D', '', 'x'), // inserted
  row(4, 'D2', '', 'y'), // updated, or superseded in the same batch
  row(5, '', '', ''), // rejected
  row(6, 'F', '2026-01-01 10:00', ''), // inserted
  `${id(7)},G,nobody,,`, // rejected
  row(8, 'H', '', ''), // suppressed
  row(9, 'I', '', ''), // superseded: undated
);

/** All of them have the same address. */
const accepted = ['--accept', 'known-addresses'];

async function prepare(): Promise<void> {
  await counts(
    csv(
      `${head},updated_at`,
      row(1, 'A', '2026-01-01'),
      row(2, 'B', '2026-01-01'),
      row(3, 'C', '2026-01-01'),
      row(8, 'H', ''),
      row(9, 'I0', '2026-01-01'),
      row(0, 'Z', ''),
    ),
  );
  await database().query(`select clientele.erase_customer('${id(8)}')`);
}

const check = (...args: string[]) =>
  clientele(['import', ...args, '--check'], { DATABASE_URL: database().url });

/** The summary without what only an import has. */
function counted(stdout: string): Record<string, unknown> {
  const { resumedAfter: _, seconds: __, ...counts } = JSON.parse(stdout) as Record<string, unknown>;
  return counts;
}

const tables = ['public.customers', 'clientele.gone_customers', 'clientele.imports'];
async function state(): Promise<object[]> {
  const rows: object[] = [];
  for (const table of tables) {
    rows.push(...(await database().query<object>(`select t.*, t.xmin from ${table} as t`)));
  }
  return rows;
}

test.each([
  ['--batch', '1'],
  ['--batch', '3'],
  ['--batch', '4000'],
  ['--as-of', '2026-06-01'],
])('it counts exactly what the import then does, with %s %s', async (...option) => {
  await prepare();
  const file = await save('some.csv', content);
  const before = await state();
  const checked = await check(file, '--json', ...accepted, ...option);
  expect(await state()).toEqual(before);
  const imported = await run(file, '--json', ...accepted, ...option);
  expect(checked.code).toBe(imported.code);
  const done = counted(imported.stdout);
  expect(JSON.parse(checked.stdout), checked.stderr).toMatchObject(done);
});

test('it counts what --replace would do, and what it would remove', async () => {
  await prepare();
  const file = await save('some.csv', content);
  const before = await state();
  const refused = await check(file, '--replace');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--despite-rejects') });
  expect(refused.stdout).toContain('"full_name" must not be empty (required, first on line 7)');
  const checked = await check(file, '--replace', '--despite-rejects', '--json');
  expect(await state()).toEqual(before);
  const imported = await run(file, '--replace', '--despite-rejects', '--yes', '--json');
  const done = counted(imported.stdout);
  expect(done['removed']).toBe(1);
  expect(JSON.parse(checked.stdout), checked.stderr).toMatchObject(done);
  expect(checked.code).toBe(3);
});

test('it names unused columns, suspicious values and rejects by rule, and leaves no file', async () => {
  await prepare();
  const file = await save('some.csv', content);
  const { code, stdout } = await check(file, ...accepted);
  expect(code).toBe(3);
  expect(stdout).toContain('not used: "Note"');
  expect(stdout).toMatch(/1 time in "updated_at" has no time zone .* \(on line 8\)/);
  expect(stdout).toMatch(
    /^Read 10 records\. An import would give: 2 inserted, 1 updated, .*, 1 suppressed\.$/m,
  );
  expect(stdout).toMatch(/^Superseded: 1 repeated .*; 1 older .*; 1 without a date[^;]*\.$/m);
  expect(stdout).toContain('1 × "email_address" is not an e-mail address (email, first on line 9)');
  expect(stdout).toMatch(/Nothing was written\.\n$/);
  expect(existsSync('some.csv.rejected')).toBe(false);
  const listed = await check(file, ...accepted, '--rejects', inFolder('listed.csv'));
  expect(listed.code).toBe(3);
  expect(await readFile(inFolder('listed.csv'), 'utf8')).toMatch(
    /line 7: ""full_name"" .*\(required\)/,
  );
});

test('JSON: keys that are not used are named, and a second file sees the first', async () => {
  const object = (n: number, more: object) =>
    JSON.stringify({ uuid: id(n), full_name: 'A', email_address: 'a@mail.example', ...more });
  const one = await save('one.ndjson', csv(object(1, { tag: 'x' }), object(2, { plan: 'y' })));
  const two = await save('two.ndjson', csv(object(1, { full_name: 'B' })));
  const { code, stdout } = await check(one, two);
  expect(code).toBe(0);
  expect(stdout).toContain('one.ndjson: not used: "tag", "plan"');
  expect(stdout).toContain('2 inserted, 1 updated, 0 unchanged');
  expect(await names()).toEqual({});
});

test('a record that the table refuses counts as rejected', async () => {
  await database().query(`alter table customers add constraint no_z check (full_name <> 'Z')`);
  try {
    const file = await save('some.csv', csv(head, row(1, 'A'), row(2, 'Z'), row(3, 'C')));
    const { stdout } = await check(file);
    expect(stdout).toContain('2 inserted, 0 updated, 0 unchanged, 1 rejected');
    expect(stdout).toContain('1 × record was refused by the database (refused, first on line 3)');
  } finally {
    await database().query('alter table customers drop constraint no_z');
  }
});

test('a file that cannot be imported has the same exit code and message', async () => {
  const file = await save('bad.csv', csv('a,b', '1,2'));
  const [checked, imported] = await Promise.all([check(file), run(file)]);
  expect(checked.code).toBe(1);
  expect(checked.stderr).toBe(imported.stderr);
});

test('--replace counts each rejected record once, also if the database refuses others', async () => {
  await counts(csv(head, row(1, 'A')));
  const file = await save('refused.csv', csv(head, row(1, 'A'), row(2, ''), row(3, 'Refused')));
  await database().query(
    `alter table customers add constraint no_refused check (full_name <> 'Refused')`,
  );
  try {
    const { stdout } = await run(file, '--check', '--replace', '--despite-rejects');
    expect(stdout).toContain('rejected: 1 × "full_name"');
    expect(stdout).toContain('rejected: 1 × record');
  } finally {
    await database().query('alter table customers drop constraint no_refused');
  }
});
