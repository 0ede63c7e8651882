/** Commands that are stopped leave no copies of personal data behind. */
import { mkdir, readdir } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { startClientele, type Executable } from './setup/executable.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { counts, database, inFolder, rejects } = setUpImports();
const until = { timeout: 300_000, interval: 20 };

async function start(name: string, ...args: string[]): Promise<Executable> {
  await mkdir(inFolder(name));
  const env = { DATABASE_URL: database().url, TMPDIR: inFolder(name) };
  return startClientele(args, env, { stdin: 'pipe' });
}

const left = async (name: string, pattern: RegExp): Promise<string[]> =>
  (await readdir(inFolder(name), { recursive: true })).filter((each) => pattern.test(each));

/** What the command keeps in its folder until it ends. */
const kept = (name: string, pattern: RegExp, run: Executable): Promise<void> =>
  vi.waitFor(async () => expect(await left(name, pattern), run.output()).toHaveLength(1), until);

const copy = /standard-input$/;

test.each([
  ['--check', 'SIGINT'],
  ['--from-start', 'SIGHUP'],
] as const)('import - %s, on %s', async (option, signal) => {
  const name = `import-${signal}`;
  await using run = await start(name, 'import', '-', option, '--rejects', rejects());
  run.stdin!.write(csv(head, row(1, 'Ada')));
  await kept(name, copy, run);
  run.kill(signal);
  const { code, stderr } = await run.exited;
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was stopped.'),
  });
  expect(await left(name, /./)).toEqual([]);
});

test('import - on a second signal', async () => {
  const other = await database().connect();
  await other.query('begin; lock table customers in share row exclusive mode');
  await using run = await start('second', 'import', '-', '--rejects', rejects());
  run.stdin!.end(csv(head, row(1, 'Ada')));
  await vi.waitFor(
    async () =>
      expect(
        await database().query(
          `select from pg_locks as l where not l.granted and l.relation = 'customers'::regclass
             and l.database = (select d.oid from pg_database as d where d.datname = current_database())`,
        ),
        run.output(),
      ).toHaveLength(1),
    until,
  );
  await kept('second', copy, run);
  run.kill('SIGINT');
  run.kill('SIGTERM');
  const { code } = await run.exited;
  await other.query('rollback');
  expect(code).toBe(1);
  expect(await left('second', /./)).toEqual([]);
});

test('export --output, on SIGHUP and a second signal', async () => {
  await counts(csv(head, row(1, 'Ada')));
  const other = await database().connect();
  // Customers are recorded before they are written.
  await other.query('begin; lock table clientele.audit_batches in access exclusive mode');
  await mkdir(inFolder('out'));
  const output = inFolder('out/customers.csv');
  await using run = await start('export', 'export', '--output', output);
  await kept('out', /partial$/, run);
  run.kill('SIGHUP');
  run.kill('SIGTERM');
  const { code } = await run.exited;
  await other.query('rollback');
  expect(code).toBe(1);
  expect(await left('out', /./)).toEqual([]);
});
