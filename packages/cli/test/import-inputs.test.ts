/** `clientele import` and `clientele sync`: which files they read, and where they list rejected records. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { customerId as id } from '@clientele/sandbox/testing';
import { main } from './setup/executable.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { database, inFolder, names, save } = setUpImports();

/** Runs a script in the test's folder, in which `clientele` is the executable. */
async function shell(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-c', `clientele() { "$NODE" "$MAIN" "$@"; }; ${script}`], {
    cwd: inFolder('.'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database().url,
      NODE: process.execPath,
      MAIN: main,
    },
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...output };
}

const listed = (name: string): Promise<string> => readFile(inFolder(name), 'utf8');
const bad = (n: number): string => csv(head, row(n, 'A'), row(n + 1, ''), row(n + 2, ''));

describe('rejected records', () => {
  test('of inputs with the same name are listed in different files', async () => {
    await mkdir(inFolder('a'), { recursive: true });
    await mkdir(inFolder('b'), { recursive: true });
    await save('a/some.csv', csv(head, row(1, ''), row(2, 'B')));
    await save('b/some.csv', csv(head, row(3, 'C'), row(4, '')));
    const { code, stderr } = await shell('clientele import a/some.csv b/some.csv');
    expect(code, stderr).toBe(3);
    expect(await listed('some.csv.rejected')).toMatch(/line 2: ""full_name"" .*required/);
    expect(await listed('some.csv.2.rejected')).toMatch(/line 3: ""full_name"" .*required/);
    expect(stderr).toContain('some.csv.2.rejected');

    await shell('clientele import a/some.csv b/some.csv --rejects mine.csv');
    expect(await listed('mine.csv')).toMatch(/line 2: ""full_name"" .*required/);
    expect(await listed('mine.2.csv')).toMatch(/line 3: ""full_name"" .*required/);
  });

  test('never overwrite an input, under any of its names', async () => {
    const content = bad(1);
    const path = await save('input.csv', content);
    await link(path, inFolder('linked.csv'));
    await save('feed.ndjson', '{"uuid":"x"}\n');
    for (const command of [
      'import input.csv --rejects input.csv',
      'import input.csv --rejects linked.csv',
      'import input.csv --rejects input.csv --replace --yes',
      'sync feed.ndjson --rejects feed.ndjson',
    ]) {
      const { code, stderr } = await shell(`clientele ${command}`);
      expect(stderr, command).toMatch(/Rejected records would overwrite the input .*--rejects/);
      expect(code).toBe(1);
    }
    expect(await listed('input.csv')).toBe(content);
    expect(await listed('feed.ndjson')).toBe('{"uuid":"x"}\n');
    expect(await names()).toEqual({});
  });

  test('that cannot be written stop the import with a message, and nothing is lost', async () => {
    await save('input.csv', bad(1));
    const { code, stderr } = await shell('clientele import input.csv --rejects /dev/full');
    expect(code).toBe(1);
    expect(stderr).toContain('Cannot write rejected records to /dev/full (ENOSPC)');
    expect(stderr).not.toContain('bug');
    expect(await names()).toEqual({});
    expect(await shell('clientele import input.csv --rejects /dev/null')).toMatchObject({
      code: 3,
    });
    expect(await names()).toEqual({ 1: 'A' });
  });

  test('can go to a pipe: it is not read when there are none', async () => {
    await save('good.csv', csv(head, row(1, 'A')));
    for (const rejects of ['/dev/stderr', '>(cat >&2)', 'fifo']) {
      const command = `clientele import good.csv --quiet --rejects ${rejects}`;
      // The FIFO is open at both ends, so that only reading it would wait.
      const opened = rejects === 'fifo' ? 'mkfifo fifo; exec 3<>fifo; ' : '';
      expect(await shell(`${opened}${command} 2> >(cat >&2)`), rejects).toMatchObject({
        code: 0,
        stderr: '',
      });
    }
    await save('input.csv', bad(1));
    const { code, stderr } = await shell(
      'clientele import input.csv --quiet --rejects /dev/stderr 2> >(cat >&2)',
    );
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('line 3: ""full_name"" must not be empty'),
    });
  });

  test('are not among the files of the next import of *.csv', async () => {
    await mkdir(inFolder('nightly'), { recursive: true });
    await save('nightly/customers.csv', csv(head, row(1, 'A'), row(2, '')));
    const script = 'cd nightly && clientele import *.csv --json';
    const first = await shell(script);
    const second = await shell(script);
    expect(await listed('nightly/customers.csv.rejected')).toContain('(required)');
    expect(second, second.stderr).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('"read":2,'),
    });
    expect(first.code).toBe(3);
  });

  test('that fit on the disk only in part stop the import too', async () => {
    await save('input.csv', csv(head, ...Array.from({ length: 99 }, (_, n) => row(n, ''))));
    const { code, stderr } = await shell(
      `trap '' XFSZ; ulimit -f 1; clientele import input.csv --rejects short.csv`,
    );
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('Cannot write rejected records to short.csv (EFBIG)');
  });
});

describe('inputs', () => {
  test('all are checked before the first record is imported', async () => {
    await save('good.csv', csv(head, row(1, 'A')));
    await save('other.csv', csv('x,y', '1,2'));
    for (const [second, message] of [
      ['missing.csv', /The file missing\.csv does not exist/],
      ['other.csv', /No column/],
    ] as const) {
      const { code, stderr } = await shell(`clientele import good.csv ${second}`);
      expect(code, stderr).toBe(1);
      expect(stderr).toMatch(message);
      expect(await names()).toEqual({});
    }
  });

  test('pipes and compressed feeds are refused with the command that works', async () => {
    execFileSync('mkfifo', [inFolder('pipe')]);
    await save('feed.ndjson.gz', gzipSync(`{"uuid":"${id(1)}"}\n`));
    for (const [command, message] of [
      ['import pipe', 'clientele import - < pipe'],
      ['import pipe --dry-run', 'clientele import - < pipe'],
      ['sync pipe', 'clientele sync - < pipe'],
      ['sync feed.ndjson.gz', 'gzip -dc FILE | clientele sync'],
    ] as const) {
      const { code, stderr } = await shell(`clientele ${command}`);
      expect(code, command).toBe(1);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('bug');
    }
  });

  test('with --from-start, a file is imported whole although an interrupted import could be resumed', async () => {
    const lines = Array.from({ length: 9 }, (_, n) => row(n, `N${n}`));
    await save('some.csv', csv(head, ...lines));
    const imported = await shell('clientele import some.csv --batch 3 --json');
    expect(JSON.parse(imported.stdout)).toMatchObject({ inserted: 9 });
    // As if the import had been killed after its last batch.
    await database().query('update clientele.imports set finished_at = null');
    await database().query('delete from customers');
    const again = await shell('clientele import some.csv --batch 3 --json --from-start');
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ inserted: 9, resumedAfter: 0 });
    expect(Object.keys(await names())).toHaveLength(9);
  });
});

test('a reader that stops reading, such as head, is not an error', async () => {
  await save('some.csv', csv(head, row(1, 'A')));
  const feed = Array.from(
    { length: 3_000 },
    (_, n) => `{"uuid":"${id(n)}","full_name":"N","email_address":"x@mail.example"}\n`,
  );
  await save('feed.ndjson', feed.join(''));
  for (const command of [
    'import some.csv --dry-run',
    'import some.csv --json',
    'sync feed.ndjson --json',
  ]) {
    const { stderr } = await shell(
      `clientele ${command} | true; echo "exit code \${PIPESTATUS[0]}" >&2`,
    );
    expect(stderr, command).toContain('exit code 0');
    expect(stderr, command).not.toMatch(/bug|EPIPE/);
  }
});

test('a date far in the future is refused: nothing could change the customers until then', async () => {
  await save('some.csv', csv(head, row(1, 'A')));
  const { code, stderr } = await shell('clientele import some.csv --as-of 2999-01-01');
  expect(code).toBe(2);
  expect(stderr).toContain('in the future');
  expect(await names()).toEqual({});
});

test('the summaries of import, --replace and sync say why records were superseded, and how many were suppressed', async () => {
  const dated = `${head},updated_at`;
  await save('new.csv', csv(dated, row(1, 'A', '2026-05-02'), row(2, 'B', '2026-05-02')));
  await save('old.csv', csv(dated, row(1, 'Old', '2026-05-01'), row(2, 'Old', '')));
  await save('feed.ndjson', `{"op":"erase","uuid":"${id(3)}"}\n`);
  await save('erased.csv', csv(head, row(3, 'C'), row(4, 'D'), row(4, 'E')));
  await shell('clientele import new.csv && clientele sync feed.ndjson');
  const imported = await shell('clientele import old.csv --json');
  expect(imported.stderr).toContain(
    'Superseded: 1 older than the customer; 1 without a date, while the customer has one.',
  );
  expect(imported.stderr).toContain('add --as-of');
  expect(JSON.parse(imported.stdout)).toMatchObject({
    superseded: 2,
    supersededBy: { repeated: 0, older: 1, undated: 1, deleted: 0 },
    suppressed: 0,
  });
  const replaced = await shell('clientele import erased.csv --replace --yes --json');
  expect(JSON.parse(replaced.stdout)).toMatchObject({
    superseded: 1,
    supersededBy: { repeated: 1, older: 0, undated: 0, deleted: 0 },
    suppressed: 1,
  });
  const line = `{"uuid":"${id(3)}","full_name":"C","email_address":"x@mail.example"}`;
  const synced = await shell(`echo '${line}' | clientele sync --json`);
  expect(synced.stderr).toContain('0 superseded, 1 suppressed.');
  expect(JSON.parse(synced.stdout)).toMatchObject({ superseded: 0, suppressed: 1 });
});
