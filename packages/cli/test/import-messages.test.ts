/** Messages of `import` and `sync` say what happened, where, and what to type next. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { customerId as id } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { database, names, rejects, run, save } = setUpImports();

const sync = (...args: string[]) =>
  clientele(['sync', ...args, '--rejects', rejects()], { DATABASE_URL: database().url });

test('a windows-1252 header names the file, the column and --encoding', async () => {
  const bytes = Buffer.from(`uuid;Prénom;Nom;E-Mail\n${id(1)};A;B;a@mail.example\n`, 'latin1');
  const file = await save('latin.csv', bytes);
  expect(await run(file)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /latin\.csv: line 1 is not UTF-8, in column 2.*--encoding windows-1252\n$/s,
    ),
  });
  expect(await run(file, '--encoding', 'windows-1252')).toMatchObject({ code: 0 });
});

test('a row with too many cells says how many', async () => {
  await run(await save('wide.csv', csv(head, `${row(1, 'A')},x,y`)));
  expect(await readFile(rejects(), 'utf8')).toContain(
    'line 2: does not have as many cells as the header (5 instead of 3) (columns)',
  );
});

test('sync suggests no option that it does not have', async () => {
  const packed = await save('a.nd.gz', gzipSync('{}'));
  expect(await sync(packed)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/a\.nd\.gz is compressed.*gzip -dc/s),
  });
  const latin = await save('a.ndjson', Buffer.from('{"uuid":"é"}\n', 'latin1'));
  expect((await sync(latin)).code).toBe(3);
  expect(await readFile(rejects(), 'utf8')).toContain('line 1: is not valid UTF-8 (utf8)');
});

test('sync reports suspicious values, and has the options that avoid them', async () => {
  const record = { uuid: id(1), full_name: 'A', email_address: 'a@mail.example' };
  const local = JSON.stringify({ ...record, created_at: '2026-01-31 12:00' });
  const file = await save('local.ndjson', `${local}\n`);
  expect((await sync(file)).stderr).toMatch(
    /local\.ndjson: warning: 1 time in "created_at" has no time zone .*--timezone/,
  );
  const zoned = await sync(file, '--timezone', 'Europe/Berlin');
  expect(zoned.stderr).not.toContain('warning');
  expect(await database().query('select created_at from customers')).toEqual([
    { created_at: new Date('2026-01-31T11:00:00Z') },
  ]);
});

test('--replace stopped by rejects names the list of rejects', async () => {
  const file = await save('bad.csv', csv(head, row(1, '')));
  expect(await run(file, '--replace', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Fix the records listed in ${rejects()}`),
  });
});

test('wrong values of options are explained', async () => {
  const file = await save('good.csv', csv(head, row(1, 'A')));
  const results = await Promise.all([
    run(file, '--timezone', 'Europe/Berln'),
    run(file, '--currency', 'euros'),
    run(file, '--map', 'x=ignor'),
    run(file, '--check', '--dry-run'),
    run(file, '--as-of', '2099-01-01 00:00:00+00'),
  ]);
  expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
  expect(results[4].stderr).toContain('It is in the future');
  expect(results[0].stderr).toContain('Did you mean Europe/Berlin?');
  expect(results[1].stderr).toContain('It must be a code such as EUR.');
  expect(results[2].stderr).toContain('Did you mean ignore?');
  expect(await names()).toEqual({});
});

test('--dry-run shows the time that --as-of gives, and the keys of JSON that are not used', async () => {
  const record = { uuid: id(1), full_name: 'A', email_address: 'a@mail.example', tag: 'x' };
  const file = await save('some.ndjson', `${JSON.stringify(record)}\n`);
  const { stdout } = await clientele(['import', file, '--dry-run', '--as-of', '2026-01-31']);
  expect(stdout).toMatch(/updated_at +2026-01-31T00:00:00/);
  expect(stdout).toContain('not used: "tag"');
});
