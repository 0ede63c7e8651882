/** `clientele import` as an operator meets it. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createLoginRole,
  createTestDatabase,
  customerId as id,
  hasPostgresLog,
  readPostgresLog,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { clientele, startNode } from './setup/executable.ts';
import { forget, type Counts } from './setup/import-runs.ts';

let database: TestDatabase;
let folder: TemporaryFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await temporaryFolder();
});
beforeEach(() => forget(database));
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const rejects = (): string => folder.path('rejects.csv');
const run = (...args: string[]) =>
  clientele(['import', ...args, '--rejects', rejects()], { DATABASE_URL: database.url });

async function save(name: string, content: string | Buffer): Promise<string> {
  const path = folder.path(name);
  await writeFile(path, content);
  return path;
}

/** Imports and returns the summary for machines. */
async function counts(content: string, ...args: string[]): Promise<Counts> {
  const { stdout, stderr } = await run(await save('some.csv', content), '--json', ...args);
  expect(stdout, stderr).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as Counts;
}

const names = async (): Promise<Record<string, string>> => {
  const rows = await database.query<{ n: string; full_name: string }>(
    `select right(uuid::text, 1) as n, full_name from customers order by uuid`,
  );
  return Object.fromEntries(rows.map(({ n, full_name }) => [n, full_name]));
};

const head = 'uuid,full_name,email_address';
const row = (n: number, name: string, ...more: string[]): string =>
  [id(n), name, 'x@mail.example', ...more].join(',');
const csv = (...lines: string[]): string => `${lines.join('\n')}\n`;

describe('exit codes', () => {
  test('0 done, 3 done with rejects, 1 failed, 2 wrong usage', async () => {
    const good = await save('good.csv', csv(head, row(1, 'A')));
    const bad = await save('bad.csv', csv(head, row(1, 'A'), row(2, '')));
    const results = await Promise.all([
      run(good),
      run(bad, '--quiet'),
      run(folder.path('missing.csv')),
      run(folder.path('.')),
      run(good, '--map', 'x=y'),
      run(good, '--as-of', 'soon'),
      run(good, '--batch', '0'),
      run(good, '--nonsense'),
      run(),
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 3, 1, 1, 2, 2, 2, 2, 2]);
    for (const { code, stdout, stderr } of results.slice(2)) {
      expect(stdout).toBe('');
      expect(stderr, String(code)).not.toContain('this is a bug');
    }
    expect(results[2].stderr).toContain('There is no file');
  });

  test('a database that is not migrated, or whose user may not import, is told with the remedy', async () => {
    const good = await save('good.csv', csv(head, row(1, 'A')));
    await using empty = await createTestDatabase('template0');
    await using reader = await createLoginRole(database, 'in role clientele_reader');
    const [unmigrated, forbidden] = await Promise.all(
      [empty.url, reader.url].map((url) => clientele(['import', good], { DATABASE_URL: url })),
    );
    expect(unmigrated).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('clientele migrate'),
    });
    expect(forbidden).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('grant clientele_writer to'),
    });
  });
});

test('the documented importing login can import, by the documented grants alone', async () => {
  await using writer = await createLoginRole(database, 'in role clientele_writer');
  await database.query(`revoke temporary on database ${database.name} from public`);
  await database.query(`grant temporary on database ${database.name} to clientele_writer`);
  const good = await save('good.csv', csv(head, row(1, 'A')));
  expect(await clientele(['import', good], { DATABASE_URL: writer.url })).toMatchObject({
    code: 0,
  });
  await database.query(`revoke temporary on database ${database.name} from clientele_writer`);
  expect(await clientele(['import', good], { DATABASE_URL: writer.url })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('grant temporary on database'),
  });
  await database.query(`grant temporary on database ${database.name} to public`);
});

test('what a file does not speak of stays; empty cells are emptied', async () => {
  await counts(csv(`${head},phone_number,total_orders`, row(1, 'A', '030 5550100', '7')));
  expect(await counts(csv(head, row(1, 'B')))).toMatchObject({ updated: 1 });
  expect(await database.query('select phone_number, total_orders from customers')).toEqual([
    { phone_number: '030 5550100', total_orders: '7' },
  ]);
  expect(await counts(csv(`${head},phone_number`, row(1, 'B', '')))).toMatchObject({ updated: 1 });
  expect(await database.query('select phone_number, total_orders from customers')).toEqual([
    { phone_number: null, total_orders: '7' },
  ]);
});

describe('which record counts', () => {
  const versioned = `${head},updated_at`;

  test('the same file again changes nothing', async () => {
    const content = csv(versioned, row(1, 'A', '2026-01-01'), row(2, 'B', ''), row(2, 'B2', ''));
    expect(await counts(content)).toMatchObject({ read: 3, inserted: 2, superseded: 1 });
    const [before] = await database.query(
      'select array_agg(xmin::text order by uuid) as x from customers',
    );
    expect(await counts(content)).toMatchObject({ read: 3, inserted: 0, updated: 0, unchanged: 2 });
    expect(
      await database.query('select array_agg(xmin::text order by uuid) as x from customers'),
    ).toEqual([before]);
  });

  test('older never overwrites newer, by updated_at or by --as-of, whatever the order', async () => {
    await counts(csv(versioned, row(1, 'A3', '2026-03-01')));
    expect(await counts(csv(versioned, row(1, 'A2', '2026-02-01')))).toMatchObject({
      superseded: 1,
    });
    expect(await counts(csv(head, row(1, 'A2')), '--as-of', '2026-02-01')).toMatchObject({
      superseded: 1,
    });
    expect(await counts(csv(head, row(1, 'unknown')))).toMatchObject({ superseded: 1 });
    expect(await names()).toEqual({ 1: 'A3' });
    expect(await counts(csv(head, row(1, 'A4')), '--as-of', '2026-04-01')).toMatchObject({
      updated: 1,
    });
    expect(await counts(csv(head, row(1, 'now')), '--as-of', 'now')).toMatchObject({ updated: 1 });
  });

  test('the same again, but newer, holds off what is in between', async () => {
    await counts(csv(versioned, row(1, 'A', '2026-01-01')));
    expect(await counts(csv(versioned, row(1, 'A', '2026-03-01')))).toMatchObject({ unchanged: 1 });
    expect(await counts(csv(versioned, row(1, 'B', '2026-02-01')))).toMatchObject({
      superseded: 1,
    });
    expect(await names()).toEqual({ 1: 'A' });
  });

  test('who was erased stays away, whatever a file says', async () => {
    const content = csv(head, row(1, 'A'), row(2, 'B'));
    await counts(content);
    await using writer = await createLoginRole(database, 'in role clientele_writer');
    await database.query(
      `set role ${writer.name}; select clientele.erase_customer('${id(1)}'); reset role`,
    );
    expect(await counts(content)).toMatchObject({ unchanged: 1, superseded: 1 });
    expect(await counts(content, '--as-of', 'now')).toMatchObject({ unchanged: 1, superseded: 1 });
    expect(await counts(content, '--replace', '--yes')).toMatchObject({
      superseded: 1,
      unchanged: 1,
    });
    expect(await names()).toEqual({ 2: 'B' });
  });
});

describe('--replace', () => {
  test('removes who is not in the file and asks first', async () => {
    await counts(csv(head, row(1, 'A'), row(2, 'B'), row(3, 'C')));
    const content = csv(head, row(2, 'B'), row(3, 'C2'), row(4, 'D'), row(4, 'D2'));
    const asked = await run(await save('some.csv', content), '--replace');
    expect(asked).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/replace 3 customers; 1 of .*--yes/s),
    });
    expect(Object.keys(await names())).toEqual(['1', '2', '3']);
    expect(await counts(content, '--replace', '--yes')).toMatchObject({
      read: 4,
      inserted: 1,
      updated: 1,
      unchanged: 1,
      superseded: 1,
      removed: 1,
    });
    expect(await names()).toEqual({ 2: 'B', 3: 'C2', 4: 'D2' });
  });

  test('changes nothing when a record is rejected or none is there', async () => {
    await counts(csv(head, row(1, 'A')));
    const bad = await save('bad.csv', csv(head, row(1, ''), row(2, 'B')));
    expect(await run(bad, '--replace', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was changed'),
    });
    const none = await save('none.csv', csv(head));
    expect(await run(none, '--replace', '--yes')).toMatchObject({ code: 1 });
    expect(await names()).toEqual({ 1: 'A' });
    expect(await run(bad, '--replace', '--yes', '--despite-rejects')).toMatchObject({ code: 3 });
    expect(await names()).toEqual({ 2: 'B' });
  });

  test('keeps who is newer than the file', async () => {
    await counts(csv(`${head},updated_at`, row(1, 'A', '2026-03-01'), row(2, 'B', '2026-01-01')));
    await counts(csv(head, row(3, 'C')), '--replace', '--yes', '--as-of', '2026-02-01');
    expect(await names()).toEqual({ 1: 'A', 3: 'C' });
  });
});

test('--dry-run shows how records land and writes nothing', async () => {
  const file = await save(
    'theirs.csv',
    csv('Nr;Kunde;E-Mail;Umsatz', '17;Ä;a@mail.example;1.234,50'),
  );
  const { code, stdout } = await run(
    file,
    '--dry-run',
    '--id-column',
    'nr',
    '--map',
    'Umsatz=lifetime_value',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/CSV with semicolons, 4 columns/);
  expect(stdout).toMatch(/line 2\n {2}uuid +[0-9a-f]{8}-[0-9a-f]{4}-5.*\n {2}full_name +Ä\n/);
  expect(stdout).toMatch(/lifetime_value_cents +123450/);
  expect(await database.query('select from customers')).toEqual([]);
  expect(await database.query('select from clientele.imports')).toEqual([]);
});

test('rejected values are told only if asked for, in a file that only its owner reads', async () => {
  const file = await save('bad.csv', csv(head, row(1, 'A'), `${id(2)},B,secret-address`));
  expect(await run(file)).toMatchObject({ code: 3, stdout: '' });
  const told = await readFile(rejects(), 'utf8');
  expect(told).toBe(
    'line,column,rule,explanation\n3,email_address,email,is not an e-mail address\n',
  );
  expect((await stat(rejects())).mode & 0o777).toBe(0o600);
  await run(file, '--reject-values');
  expect(await readFile(rejects(), 'utf8')).toContain('is not an e-mail address,secret-address\n');
});

test('names and addresses reach neither our output nor PostgreSQL’s log', async () => {
  const canary = 'Canary-7f3a';
  const content = csv(head, row(1, canary), row(2, '', canary), `${id(3)},${canary},${canary}`);
  const { stdout, stderr } = await run(await save('some.csv', content));
  expect(stdout + stderr).not.toContain(canary);
  expect(await readFile(rejects(), 'utf8')).not.toContain(canary);
  if (!hasPostgresLog) return;
  const log = await readPostgresLog(database.name);
  expect(log.some(({ application }) => application === 'clientele import')).toBe(true);
  expect(JSON.stringify(log)).not.toContain(canary);
});

test('what the database refuses in spite of our checks costs that record only', async () => {
  await database.query(`alter table customers add constraint ours check (full_name <> 'Z')`);
  try {
    const lines = Array.from({ length: 9 }, (_, i) => row(i, i === 4 || i === 7 ? 'Z' : `N${i}`));
    expect(await counts(csv(head, ...lines))).toMatchObject({ read: 9, inserted: 7, rejected: 2 });
    const told = await readFile(rejects(), 'utf8');
    expect(told.match(/^\d+,,refused/gm)).toEqual(['6,,refused', '9,,refused']);
  } finally {
    await database.query('alter table customers drop constraint ours');
  }
});

test('several files and a pipe, compressed or not, in one go', async () => {
  const plain = await save('a.csv', csv(head, row(1, 'A')));
  const packed = await save('b.csv.gz', gzipSync(csv(head, row(2, 'B'))));
  const pipe = `gzip -c ${plain} | sed s/x/x/ | "$0" "$1" import ${plain} ${packed} - --json --rejects ${rejects()}`;
  await using shell = startNode(
    [
      '-e',
      `process.exitCode = require('node:child_process').spawnSync('bash', ['-c', ${JSON.stringify(pipe)}, process.execPath, process.argv[1]], { stdio: 'inherit' }).status`,
      new URL('../src/main.ts', import.meta.url).pathname,
    ],
    { DATABASE_URL: database.url },
  );
  const { code, stdout, stderr } = await shell.exited;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ read: 3, inserted: 2, unchanged: 1 });
});
