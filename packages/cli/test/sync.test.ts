/** `clientele sync`: a feed kept up with, by a pipe or a file that grows. */
import { spawnSync } from 'node:child_process';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
  temporaryFolder,
  type TemporaryFolder as Folder,
  customerId as id,
} from '@clientele/sandbox/testing';
import { clientele, startClientele, type Executable } from './setup/executable.ts';
import { forget } from './setup/import-runs.ts';

let database: TestDatabase;
let folder: Folder;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await temporaryFolder();
});
beforeEach(() => forget(database));
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const env = () => ({ DATABASE_URL: database.url });
const start = (...args: string[]): Executable =>
  startClientele(['sync', ...args, '--rejects', folder.path('rejects.csv')], env(), {
    stdin: 'pipe',
  });

const customer = (n: number, name: string, more: object = {}): object => ({
  uuid: id(n),
  full_name: name,
  email_address: 'x@mail.example',
  ...more,
});
const lines = (...records: object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

const names = async (): Promise<string[]> => {
  const rows = await database.query<{ full_name: string }>(
    'select full_name from customers order by uuid',
  );
  return rows.map(({ full_name }) => full_name);
};
const become = (expected: string[]): Promise<void> =>
  vi.waitFor(async () => expect(await names()).toEqual(expected), {
    timeout: 15_000,
    interval: 20,
  });

/** The last commit that it told of. */
const committed = (run: Executable): Record<string, number> =>
  JSON.parse(
    run
      .output()
      .trimEnd()
      .split('\n')
      .findLast((line) => line.startsWith('{')) ?? '{}',
  );

test('records show within seconds while the feed stays open; SIGTERM ends it well', async () => {
  await using run = start('--json');
  run.stdin!.write(lines(customer(1, 'A'), customer(2, 'B')));
  await become(['A', 'B']);
  run.stdin!.write(
    lines(customer(1, 'A2'), { op: 'delete', uuid: id(2) }, customer(3, 'C'), {
      op: 'delete',
      uuid: id(9),
    }),
  );
  await become(['A2', 'C']);
  run.stdin!.write(lines(customer(4, 'D')));
  await run.said(/"read":6/);
  run.stdin!.write(lines(customer(5, 'E'), { op: 'upsert' }, customer(6, 'F')));
  run.kill('SIGTERM');
  const { code, stderr } = await run.exited;
  const { read, inserted, updated, unchanged, deleted, rejected, superseded } = committed(run);
  expect(read).toBe(inserted! + updated! + unchanged! + deleted! + rejected! + superseded!);
  expect(committed(run)).toMatchObject({ deleted: 1, updated: 1, unchanged: 1 });
  expect(code, stderr).toBe(rejected === 0 ? 0 : 3);
});

test('SIGTERM: what was read is committed, the rest is for the next run', async () => {
  const file = folder.path('many.ndjson');
  const all = Array.from({ length: 3_000 }, (_, i) => customer(i, `N${i}`));
  await writeFile(file, lines(...all));
  const other = await database.connect();
  await other.query('begin; lock table customers');
  await using run = start(file, '--json');
  await vi.waitFor(
    async () =>
      expect(
        await database.query(
          `select from pg_locks where not granted and relation = 'customers'::regclass
             and database = (select oid from pg_database where datname = current_database())`,
        ),
      ).toHaveLength(1),
    { timeout: 15_000, interval: 20 },
  );
  // A thousand wait to be written, and more of them were read.
  run.kill('SIGTERM');
  await other.query('commit');
  const { code, stderr } = await run.exited;
  expect(code, stderr).toBe(0);
  const { read } = committed(run);
  expect(read).toBeGreaterThan(1_000);
  expect(read).toBeLessThan(3_000);
  expect(await names()).toHaveLength(read!);
  await using next = start(file);
  await next.said(new RegExp(`resuming after ${read} records`));
  expect((await next.exited).code).toBe(0);
  expect(await names()).toHaveLength(3_000);
});

test('a connection lost between two records is made anew', async () => {
  await using run = start('--json');
  run.stdin!.write(lines(customer(1, 'A')));
  await run.said(/"read":1/);
  const [ended] = await database.query<{ ended: boolean }>(
    `select pg_terminate_backend(pid, 10000) as ended from pg_stat_activity
     where datname = current_database() and application_name = 'clientele import'`,
  );
  expect(ended).toEqual({ ended: true });
  run.stdin!.end(lines(customer(2, 'B')));
  const { code, stderr } = await run.exited;
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/The database went away.*\nThe database is back/);
  expect(await names()).toEqual(['A', 'B']);
});

test('a thousand records do not wait for a second; the end of the feed does not either', async () => {
  await using run = start('--json');
  run.stdin!.end(
    lines(...Array.from({ length: 2_500 }, (_, i) => customer(i, `N${i}`)), { bad: 1 }),
  );
  const { code, stdout } = await run.exited;
  expect(code).toBe(3);
  const told = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { read: number }).read);
  expect(told.at(-1)).toBe(2_501);
  expect(told.every((read, i) => read - (told[i - 1] ?? 0) <= 1_000)).toBe(true);
  expect(await names()).toHaveLength(2_500);
});

test('in one batch, the last word on a customer counts', async () => {
  await using run = start();
  run.stdin!.end(
    lines(
      customer(1, 'A'),
      { op: 'delete', uuid: id(1) },
      customer(1, 'A again', { updated_at: '2999-01-01T00:00:00.000Z' }),
      customer(2, 'B'),
      { op: 'delete', uuid: id(2) },
      customer(3, 'C3', { updated_at: '2026-03-01' }),
      customer(3, 'C2', { updated_at: '2026-02-01' }),
      customer(4, 'D', { phone_number: '030 5550100' }),
      customer(4, 'D2'),
    ),
  );
  expect((await run.exited).code).toBe(0);
  expect(await names()).toEqual(['A again', 'C3', 'D2']);
  expect(await database.query(`select phone_number from customers where full_name = 'D2'`)).toEqual(
    [{ phone_number: '030 5550100' }],
  );
});

test('deleted stays deleted for older records, erased for all', async () => {
  const old = folder.path('old.csv');
  await writeFile(
    old,
    `uuid,full_name,email_address\n${id(1)},A,x@mail.example\n${id(2)},B,x@mail.example\n`,
  );
  const importOld = (...args: string[]) => clientele(['import', old, '--json', ...args], env());
  expect((await importOld()).code).toBe(0);
  await using run = start();
  run.stdin!.end(
    lines({ op: 'delete', uuid: id(1), updated_at: '2026-06-01' }, { op: 'erase', uuid: id(2) }),
  );
  expect((await run.exited).code).toBe(0);
  expect(await names()).toEqual([]);
  expect(JSON.parse((await importOld()).stdout)).toMatchObject({ read: 2, superseded: 2 });
  expect(JSON.parse((await importOld('--as-of', '2026-05-01')).stdout)).toMatchObject({
    superseded: 2,
  });
  expect(JSON.parse((await importOld('--as-of', '2026-07-01')).stdout)).toMatchObject({
    inserted: 1,
    superseded: 1,
  });
  expect(await names()).toEqual(['A']);
});

test('an older delete leaves a newer customer alone', async () => {
  await using run = start('--json');
  run.stdin!.end(
    lines(customer(1, 'A', { updated_at: '2026-06-01' })) +
      lines({ op: 'delete', uuid: id(1), updated_at: '2026-05-01' }),
  );
  expect((await run.exited).code).toBe(0);
  expect(await names()).toEqual(['A']);
});

const jq = spawnSync('jq', ['--version']).status === 0;

/** What the n-th recipe of the page for Kafka makes of recorded lines. */
async function recipe(n: number, input: string): Promise<object[]> {
  const page = await readFile(new URL('../../../docs/sync.md', import.meta.url), 'utf8');
  const [, flags, filter] = [...page.matchAll(/jq --unbuffered (-\w+) '([^']+)'/g)][n]!;
  const { stdout, stderr } = spawnSync('jq', [flags!, filter!], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

test.skipIf(!jq)('the recipe for Debezium makes records that land', async () => {
  const source = { ts_ms: 1_769_817_600_000 };
  const after = {
    id: id(1),
    full_name: 'A',
    email_address: 'a@mail.example',
    created_at: 1_769_817_600_000_000,
  };
  const records = await recipe(
    0,
    [
      { schema: {}, payload: { op: 'c', before: null, after, source } },
      { op: 'u', before: after, after: { ...after, full_name: 'A2' }, source },
      { op: 'r', before: null, after: { ...after, id: id(2) }, source },
      { op: 'd', before: { id: id(2) }, after: null, source },
      null,
    ]
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  await using run = start('--json');
  run.stdin!.end(lines(...records));
  expect((await run.exited).code).toBe(0);
  expect(await names()).toEqual(['A2']);
  expect(await database.query('select created_at, updated_at from customers')).toEqual([
    { created_at: new Date(source.ts_ms), updated_at: new Date(source.ts_ms) },
  ]);
});

test.skipIf(!jq)('the recipe for keyed records makes records that land', async () => {
  const value = JSON.stringify({ full_name: 'Tab\there', email_address: 'a@mail.example' });
  const records = await recipe(1, `${id(1)}\t${value}\n${id(2)}\t${value}\n${id(2)}\tnull\n`);
  await using run = start();
  run.stdin!.end(lines(...records));
  expect((await run.exited).code).toBe(0);
  expect(await names()).toEqual(['Tab\there']);
});

test('a file that grows is followed, and resumed after a kill', async () => {
  const file = folder.path('feed.ndjson');
  await writeFile(file, lines(customer(1, 'A')));
  await using first = start(file, '--follow');
  await become(['A']);
  const [start1, rest] = [lines(customer(2, 'B')).slice(0, 20), lines(customer(2, 'B')).slice(20)];
  await appendFile(file, start1);
  await appendFile(file, rest + lines(customer(3, 'C')));
  await become(['A', 'B', 'C']);
  first.kill('SIGKILL');
  await first.exited;
  await appendFile(file, lines(customer(4, 'D')));
  await using second = start(file, '--follow', '--json');
  await second.said(/resuming after 3 records/);
  await become(['A', 'B', 'C', 'D']);
  await second.said(/"read":4/);
  // Rotated: it reads to the end and stops.
  await rename(file, folder.path('feed.1'));
  await appendFile(folder.path('feed.1'), lines(customer(5, 'E')));
  const { code, stderr } = await second.exited;
  expect(code, stderr).toBe(0);
  expect(await names()).toEqual(['A', 'B', 'C', 'D', 'E']);
});
