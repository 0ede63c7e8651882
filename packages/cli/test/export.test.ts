/** `clientele export`: formats, searches, files, and how it ends. */
import { execFile } from 'node:child_process';
import {
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { WireCustomer } from '@clientele/contract';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  hasPostgresLog,
  readPostgresLog,
  createTestDatabase,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { copyCustomers } from '@clientele/sandbox/generator';
import { wireFields } from '@clientele/contract/customer-fields';
import { csvHeader } from '@clientele/contract/customer-file';
import { awkward } from './setup/awkward-customers.ts';
import { clientele, main, startClientele, type Exit } from './setup/executable.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert(awkward);
  await copyCustomers(await database.connect(), 4, 3_000);
  folder = await mkdtemp(join(tmpdir(), 'clientele-export-'));
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const run = (...options: string[]): Promise<Exit> =>
  clientele(['export', ...options], { DATABASE_URL: database.url });

const cells = (csv: string, uuidEnd: number): string[] => {
  const from = csv.indexOf(`00000000-0000-4000-8000-00000000000${uuidEnd}`);
  return csv.slice(from).split(',', 5);
};

test('raw CSV that is loaded into an empty database and exported again is identical', async () => {
  const first = await run('--raw');
  expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Exported 3,005 custom/) });
  await using other = await createTestDatabase();
  const client = await other.connect();
  const copy = copyFrom(
    `copy customers (${wireFields.join(', ')}) from stdin (format csv, header)`,
  );
  await pipeline(Readable.from([first.stdout]), client.query(copy));
  const second = await clientele(['export', '--raw'], { DATABASE_URL: other.url });
  expect(second.stdout.length).toBeGreaterThan(300_000);
  expect(second.stdout === first.stdout, 'the second export differs').toBe(true);
});

test('NDJSON contains the same customers as CSV, in the same order', async () => {
  const [csv, ndjson] = [await run('--raw'), await run('--format', 'ndjson')];
  const found = ndjson.stdout.trimEnd().split('\n');
  const customers = found.map((line) => JSON.parse(line) as WireCustomer);
  expect(Object.keys(customers[0]!)).toEqual(wireFields);
  expect(customers.map(({ uuid }) => uuid)).toEqual(
    csv.stdout.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=,)/gm),
  );
  for (const each of awkward) expect(customers).toContainEqual(each);
});

test('without --raw, formulas are escaped for spreadsheets and numbers are not', async () => {
  const [safe, raw] = [(await run()).stdout, (await run('--raw')).stdout];
  expect(safe).toContain(`,"'=HYPERLINK(""http://example.com"",""x"")",`);
  const largest = Number.MAX_SAFE_INTEGER;
  expect(safe).toContain(`,"'-1","'+1","true","${largest}","-${largest}",`);
  expect(cells(safe, 1)[1]).toBe(`"'@SUM(A1)"`);
  expect(safe).toContain("'\tTab");
  expect(cells(raw, 1)[1]).toBe('@SUM(A1)');
  const texts = /(?<=^|,)"?[=@\t\r]|(?<=[,"])\+\d/m;
  expect(safe.replaceAll(/^"?[0-9a-f-]{36}"?,/gm, '')).not.toMatch(texts);
  expect(raw).toMatch(texts);
});

test('a search exports only its matches, and its text appears in no log', async () => {
  const { code, stdout } = await run('--search', '  hyperlink ');
  expect(code).toBe(0);
  expect(stdout.startsWith(csvHeader)).toBe(true);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  const none = await run('--search', 'canary-nobody');
  expect(none.stdout).toBe(csvHeader);
  if (!hasPostgresLog) return;
  const log = await readPostgresLog(database.name);
  expect(log.length).toBeGreaterThan(10);
  expect(log.filter(({ text }) => /canary/i.test(text))).toEqual([]);
});

test('a search that the API rejects is rejected', async () => {
  for (const search of ['x'.repeat(257), 'a b c d e f g h i']) {
    const refused = await run('--search', search);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^clientele: --search may have /);
  }
});

test('filters export only the customers who pass them', async () => {
  const count = async (...options: string[]): Promise<number> => {
    const { code, stdout, stderr } = await run('--format', 'ndjson', ...options);
    expect(code, stderr).toBe(0);
    return stdout.split('\n').length - 1;
  };
  const all = await count();
  expect((await count('--verified')) + (await count('--verified', 'false'))).toBe(all);
  expect((await count('--has-orders')) + (await count('--has-orders', 'false'))).toBe(all);
  const cut = '2020-01-01T00:00:00Z';
  expect((await count('--joined-from', cut)) + (await count('--joined-to', cut))).toBe(all);
  expect(await count('--joined-from', cut, '--joined-to', cut)).toBe(0);
});

test('an export is sorted as the API sorts, whether or not the order is switched on', async () => {
  const values = async (sort: string): Promise<number[]> => {
    const { code, stdout, stderr } = await run('--format', 'ndjson', '--sort', sort);
    expect(code, stderr).toBe(0);
    const customers = stdout.trim().split('\n');
    return customers.map((line) => (JSON.parse(line) as WireCustomer).lifetime_value_cents);
  };
  const rising = await values('lifetime_value_cents');
  expect(rising).toEqual(rising.toSorted((a, b) => a - b));
  expect(new Set(rising).size).toBeGreaterThan(1);
  expect(await values('-lifetime_value_cents')).toEqual(rising.toReversed());
  expect((await run('--sort', 'name')).stderr).toMatch(/^clientele: --sort must be one of /);
});

test('a filter that the API rejects is rejected, under the name of its option', async () => {
  const refused = await run('--joined-from', 'canary');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^clientele: --joined-from must be a date such as /);
  const empty = await run('--joined-from', '2024-03-02', '--joined-to', '2024-03-01');
  expect(empty.stderr).toMatch(/^clientele: --joined-from must not be later than joined-to\.$/m);
});

test('--output creates a complete file that only the owner can read, and --json prints the summary on standard output', async () => {
  const file = join(folder, 'customers.csv');
  // Others can read it, or prepare a link under a name that is easy to guess.
  await writeFile(file, 'old', { mode: 0o666 });
  await symlink(file, `${file}.partial`);
  const { code, stdout, stderr } = await run('--output', file, '--json', '--raw', '--quiet');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const text = await readFile(file);
  expect(JSON.parse(stdout)).toMatchObject({ customers: 3005, bytes: text.length, format: 'csv' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['customers.csv', 'customers.csv.partial']);
  expect(await readlink(`${file}.partial`)).toBe(file);

  const nowhere = await run('--output', join(folder, 'no', 'where.csv'));
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('folder does not') });
  const link = join(folder, 'link.csv');
  await symlink(file, link);
  expect(await run('--output', link)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not a link'),
  });
  await rm(link);
  const device = await run('--output', '/dev/null');
  expect(device).toMatchObject({ code: 1, stderr: expect.stringContaining('regular file') });
});

test('without --output, --json prints the summary on standard error and nothing else', async () => {
  const { stdout, stderr } = await run('--json', '--format', 'ndjson');
  expect(JSON.parse(stderr)).toMatchObject({ customers: 3005, bytes: Buffer.byteLength(stdout) });
});

test('a signal ends it with exit code 1 and leaves no partial file', async () => {
  const lock = await database.connect();
  await lock.query('begin; lock table customers in access exclusive mode');
  const file = join(folder, 'stopped.csv');
  await using stopped = startClientele(['export', '--output', file], {
    DATABASE_URL: database.url,
  });
  const waiting = `select from pg_stat_activity
    where application_name = 'clientele' and wait_event_type = 'Lock' and datname = $1`;
  while ((await database.query(waiting, [database.name])).length === 0);
  stopped.kill('SIGTERM');
  await lock.query('rollback');
  expect(await stopped.exited).toMatchObject({
    code: 1,
    stderr: 'clientele: The export was stopped before it was complete.\n',
  });
  expect((await readdir(folder)).filter((name) => name.startsWith('stopped'))).toEqual([]);
});

test('a reader that closes the pipe early ends it without an error', async () => {
  const script = 'set -o pipefail; "$0" "$1" export | head -n 1';
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['-c', script, process.execPath, main],
    { env: { ...process.env, DATABASE_URL: database.url } },
  );
  expect({ stdout, stderr }).toEqual({ stdout: csvHeader, stderr: '' });
});

test('a lost database connection is a failure, and no file is created', async () => {
  await using held = await createTestDatabase();
  await copyCustomers(await held.connect(), 4, 20_000);
  const file = join(folder, 'broken.csv');
  await using broken = startClientele(['export', '--output', file], { DATABASE_URL: held.url });
  const backend = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'clientele' and datname = $1 and query like 'fetch%'`;
  while ((await held.query(backend, [held.name])).length === 0);
  const { code, stderr } = await broken.exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^clientele: The database in DATABASE_URL does not respond/);
  expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([]);
});
