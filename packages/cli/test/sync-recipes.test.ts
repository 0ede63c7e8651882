/** The jq recipes of docs/sync.md produce records that `clientele sync` applies. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import {
  createTestDatabase,
  customerId as id,
  temporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startClientele } from './setup/executable.ts';
import { resetDatabase } from './setup/import-runs.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => resetDatabase(database));
afterAll(() => database[Symbol.asyncDispose]());

async function sync(records: object[]): Promise<void> {
  await using folder = await temporaryFolder();
  const args = ['sync', '--json', '--rejects', folder.path('rejects.csv')];
  await using run = startClientele(args, { DATABASE_URL: database.url }, { stdin: 'pipe' });
  run.stdin!.end(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  expect((await run.exited).code).toBe(0);
}

const names = async (): Promise<string[]> => {
  const rows = await database.query<{ full_name: string }>(
    'select full_name from customers order by uuid',
  );
  return rows.map(({ full_name }) => full_name);
};

const jq = spawnSync('jq', ['--version']).status === 0;

/** Runs the n-th jq recipe of docs/sync.md on recorded input. */
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

test.skipIf(!jq)('the recipe for Debezium produces records that sync applies', async () => {
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
  await sync(records);
  expect(await names()).toEqual(['A2']);
  expect(await database.query('select created_at, updated_at from customers')).toEqual([
    { created_at: new Date(source.ts_ms), updated_at: new Date(source.ts_ms) },
  ]);
});

test.skipIf(!jq)('the recipe for keyed records produces records that sync applies', async () => {
  const value = JSON.stringify({ full_name: 'Tab\there', email_address: 'a@mail.example' });
  const records = await recipe(1, `${id(1)}\t${value}\n${id(2)}\t${value}\n${id(2)}\tnull\n`);
  await sync(records);
  expect(await names()).toEqual(['Tab\there']);
});
