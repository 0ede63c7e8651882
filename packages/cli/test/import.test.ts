/** `clientele import`: exit codes, permissions, rejected records and input formats. */
import { open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  createLoginRole,
  createTestDatabase,
  customerId as id,
  hasPostgresLog,
  readPostgresLog,
} from '@clientele/sandbox/testing';
import { clientele, main, startNode } from './setup/executable.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { counts, database, inFolder, rejects, run, save } = setUpImports();

describe('exit codes', () => {
  test('0 success, 3 success with rejected records, 1 failure, 2 wrong usage', async () => {
    const good = await save('good.csv', csv(head, row(1, 'A')));
    const bad = await save('bad.csv', csv(head, row(1, 'A'), row(2, '')));
    const results = await Promise.all([
      run(good),
      run(bad, '--quiet'),
      run(inFolder('missing.csv')),
      run(inFolder('.')),
      run(good, '--map', 'x=y'),
      run(good, '--as-of', 'soon'),
      run(good, '--batch', '0'),
      run(good, '--nonsense'),
      run(),
    ]);
    const errors = results.map(({ stderr }) => stderr).join('');
    expect(
      results.map(({ code }) => code),
      errors,
    ).toEqual([0, 3, 1, 1, 2, 2, 2, 2, 2]);
    for (const { code, stdout, stderr } of results.slice(2)) {
      expect(stdout).toBe('');
      expect(stderr, String(code)).not.toContain('this is a bug');
    }
    expect(results[2].stderr).toMatch(/The file \S+ does not exist/);
  });

  test('a database without tables and a user without permission are reported with the fix', async () => {
    const good = await save('good.csv', csv(head, row(1, 'A')));
    await using empty = await createTestDatabase('template0');
    await using reader = await createLoginRole(database(), 'in role clientele_reader');
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

test('the documented grants are sufficient for a login that imports', async () => {
  await using writer = await createLoginRole(database(), 'in role clientele_writer');
  await database().query(`revoke temporary on database ${database().name} from public`);
  await database().query(`grant temporary on database ${database().name} to clientele_writer`);
  const good = await save('good.csv', csv(head, row(1, 'A')));
  expect(await clientele(['import', good], { DATABASE_URL: writer.url })).toMatchObject({
    code: 0,
  });
  await database().query(`revoke temporary on database ${database().name} from clientele_writer`);
  expect(await clientele(['import', good], { DATABASE_URL: writer.url })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('grant temporary on database'),
  });
  await database().query(`grant temporary on database ${database().name} to public`);
});

test('--dry-run shows how records would be imported and writes nothing', async () => {
  const file = await save(
    'theirs.csv',
    csv('Nr;Kunde;E-Mail;Umsatz', '17;Ä;a@mail.example;1.234,50'),
  );
  const { code, stdout } = await run(
    file,
    '--dry-run',
    '--id-column',
    'shop:nr',
    '--map',
    'Umsatz=lifetime_value',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/CSV with semicolons, 4 columns/);
  expect(stdout).toMatch(/line 2\n {2}uuid +derived from shop:17\n {2}full_name +Ä\n/);
  expect(stdout).toMatch(/lifetime_value_cents +123450/);
  expect(await database().query('select from customers')).toEqual([]);
  expect(await database().query('select from clientele.imports')).toEqual([]);
});

test('rejected records are kept with the reason, in a file that only its owner can read', async () => {
  const file = await save('bad.csv', csv(head, row(1, 'A'), `${id(2)},B,secret-address`));
  expect(await run(file)).toMatchObject({ code: 3, stdout: '' });
  const listed = await readFile(rejects(), 'utf8');
  expect(listed).toBe(
    csv(
      `clientele_reject,${head}`,
      `"line 3: ""email_address"" is not an e-mail address (email)",${id(2)},B,secret-address`,
    ),
  );
  expect((await stat(rejects())).mode & 0o777).toBe(0o600);
});

test('a file of rejected records that others can read or have opened is replaced, and no link is followed', async () => {
  const file = await save('bad.csv', csv(head, row(1, 'A'), `${id(2)},B,secret-address`));
  await rm(rejects(), { force: true });
  await writeFile(rejects(), 'before', { mode: 0o666 });
  await using opened = await open(rejects(), 'r');
  expect((await run(file)).code).toBe(3);
  expect((await stat(rejects())).mode & 0o777).toBe(0o600);
  expect(await opened.readFile('utf8')).toBe('before');

  const target = await save('target.csv', 'untouched');
  await rm(rejects());
  await symlink(target, rejects());
  expect(await run(file, '--from-start')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot write rejected records to .* \(it is a link\)/),
  });
  expect(await readFile(target, 'utf8')).toBe('untouched');
  await rm(rejects());
});

test('personal data appears neither in the output nor in PostgreSQL’s log', async () => {
  const canary = 'Canary-7f3a';
  const content = csv(head, row(1, canary), row(2, '', canary), `${id(3)},${canary},${canary}`);
  const { stdout, stderr } = await run(await save('some.csv', content));
  expect(stdout + stderr).not.toContain(canary);
  if (!hasPostgresLog) return;
  const log = await readPostgresLog(database().name);
  expect(log.some(({ application }) => application === 'clientele import')).toBe(true);
  expect(JSON.stringify(log)).not.toContain(canary);
});

test('a record that violates a constraint of the database is rejected, and the others are imported', async () => {
  await database().query(`alter table customers add constraint no_z check (full_name <> 'Z')`);
  try {
    const lines = Array.from({ length: 9 }, (_, i) => row(i, i === 4 || i === 7 ? 'Z' : `N${i}`));
    expect(await counts(csv(head, ...lines))).toMatchObject({ read: 9, inserted: 7, rejected: 2 });
    const listed = await readFile(rejects(), 'utf8');
    expect(listed.match(/line \d+: was refused by the database \(constraint no_z\)/g)).toHaveLength(
      2,
    );
  } finally {
    await database().query('alter table customers drop constraint no_z');
  }
});

test('several files and standard input, plain or compressed, in one command', async () => {
  const plain = await save('a.csv', csv(head, row(1, 'A')));
  const packed = await save('b.csv.gz', gzipSync(csv(head, row(2, 'B'))));
  const pipe = `gzip -c ${plain} | sed s/x/x/ | "$0" "$1" import ${plain} ${packed} - --json --rejects ${rejects()}`;
  await using shell = startNode(
    [
      '-e',
      `process.exitCode = require('node:child_process').spawnSync('bash', ['-c', ${JSON.stringify(pipe)}, process.execPath, process.argv[1]], { stdio: 'inherit' }).status`,
      main,
    ],
    { DATABASE_URL: database().url },
  );
  const { code, stdout, stderr } = await shell.exited;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ read: 3, inserted: 2, unchanged: 1 });
});
