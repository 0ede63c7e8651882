/** `clientele sync` applies a feed of changes from a pipe or a growing file. */
import { setTimeout as sleep } from 'node:timers/promises';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { clientele, startClientele, type Executable } from './setup/executable.ts';
import { resetDatabase } from './setup/import-runs.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(() => resetDatabase(database));

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
const waitForNames = (expected: string[]): Promise<void> =>
  vi.waitFor(async () => expect(await names()).toEqual(expected), {
    timeout: 300_000,
    interval: 20,
  });

/** The last commit it reported. */
const lastCommit = (run: Executable): Record<string, number> =>
  JSON.parse(
    run
      .output()
      .trimEnd()
      .split('\n')
      .findLast((line) => line.startsWith('{')) ?? '{}',
  );

test('records are applied within seconds while the feed stays open, and SIGTERM ends it cleanly', async () => {
  await using run = start('--json');
  run.stdin!.write(lines(customer(1, 'A'), customer(2, 'B')));
  await waitForNames(['A', 'B']);
  run.stdin!.write(
    lines(customer(1, 'A2'), { op: 'delete', uuid: id(2) }, customer(3, 'C'), {
      op: 'delete',
      uuid: id(9),
    }),
  );
  await waitForNames(['A2', 'C']);
  run.stdin!.write(lines(customer(4, 'D')));
  await run.said(/"read":6/);
  run.stdin!.write(lines(customer(5, 'E'), { op: 'upsert' }, customer(6, 'F')));
  run.kill('SIGTERM');
  const { code, stderr } = await run.exited;
  const { read, inserted, updated, unchanged, deleted, rejected, superseded } = lastCommit(run);
  expect(read).toBe(inserted! + updated! + unchanged! + deleted! + rejected! + superseded!);
  expect(lastCommit(run)).toMatchObject({ deleted: 1, updated: 1, unchanged: 1 });
  expect(code, stderr).toBe(rejected === 0 ? 0 : 3);
});

test('on SIGTERM, what was read is committed, and the next run resumes after it', async () => {
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
    { timeout: 300_000, interval: 20 },
  );
  // At this point 1,000 records wait to be written, and more have been read.
  run.kill('SIGTERM');
  await other.query('commit');
  const { code, stderr } = await run.exited;
  expect(code, stderr).toBe(0);
  const { read } = lastCommit(run);
  expect(read).toBeGreaterThan(1_000);
  expect(read).toBeLessThan(3_000);
  expect(await names()).toHaveLength(read!);
  await using next = start(file);
  await next.said(new RegExp(`resuming after ${read} records`));
  expect((await next.exited).code).toBe(0);
  expect(await names()).toHaveLength(3_000);
});

test('it reconnects after the connection is lost between two records', async () => {
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
  expect(stderr).toMatch(/Lost the connection.*\nReconnected to the database/);
  expect(await names()).toEqual(['A', 'B']);
});

test('1,000 records, or the end of the feed, are committed without waiting for a second', async () => {
  await using run = start('--json');
  run.stdin!.end(
    lines(...Array.from({ length: 2_500 }, (_, i) => customer(i, `N${i}`)), { bad: 1 }),
  );
  const { code, stdout } = await run.exited;
  expect(code).toBe(3);
  const committed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { read: number }).read);
  expect(committed.at(-1)).toBe(2_501);
  expect(committed.every((read, i) => read - (committed[i - 1] ?? 0) <= 1_000)).toBe(true);
  expect(await names()).toHaveLength(2_500);
});

test('of several records of a customer in one batch, the last one wins', async () => {
  await using run = start();
  run.stdin!.end(
    lines(
      customer(1, 'A'),
      { op: 'delete', uuid: id(1) },
      customer(1, 'A again'),
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

test('older records do not restore a deleted customer, and no record restores an erased one', async () => {
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
  expect(JSON.parse((await importOld()).stdout)).toMatchObject({
    read: 2,
    superseded: 1,
    suppressed: 1,
  });
  expect(JSON.parse((await importOld('--as-of', '2026-05-01')).stdout)).toMatchObject({
    superseded: 1,
    suppressed: 1,
  });
  expect(JSON.parse((await importOld('--as-of', '2026-07-01')).stdout)).toMatchObject({
    inserted: 1,
    suppressed: 1,
  });
  expect(await names()).toEqual(['A']);
});

test('an older delete does not remove a newer customer', async () => {
  await using run = start('--json');
  run.stdin!.end(
    lines(customer(1, 'A', { updated_at: '2026-06-01' })) +
      lines({ op: 'delete', uuid: id(1), updated_at: '2026-05-01' }),
  );
  expect((await run.exited).code).toBe(0);
  expect(await names()).toEqual(['A']);
});

test('a growing file is followed, and resumed after a kill', async () => {
  const file = folder.path('feed.ndjson');
  await writeFile(file, lines(customer(1, 'A')));
  await using first = start(file, '--follow');
  await waitForNames(['A']);
  const [start1, rest] = [lines(customer(2, 'B')).slice(0, 20), lines(customer(2, 'B')).slice(20)];
  await appendFile(file, start1);
  await appendFile(file, rest + lines(customer(3, 'C')));
  await waitForNames(['A', 'B', 'C']);
  first.kill('SIGKILL');
  await first.exited;
  await appendFile(file, lines(customer(4, 'D')));
  await using second = start(file, '--follow', '--json');
  await second.said(/resuming after 3 records/);
  await waitForNames(['A', 'B', 'C', 'D']);
  await second.said(/"read":4/);
  // After a rotation, others still write to the old file for a moment. It is read to its end.
  await rename(file, folder.path('feed.1'));
  await sleep(1_000);
  await appendFile(folder.path('feed.1'), lines(customer(5, 'E')));
  const { code, stderr } = await second.exited;
  expect(code, stderr).toBe(0);
  expect(await names()).toEqual(['A', 'B', 'C', 'D', 'E']);
});

test('a file that was empty at first has not changed when it has records', async () => {
  const file = folder.path('empty-at-first.ndjson');
  await writeFile(file, '');
  const args = ['sync', file, '--rejects', folder.path('rejects.csv')];
  expect((await clientele(args, env())).code).toBe(0);
  await appendFile(file, lines(customer(1, 'A')));
  const { code, stderr } = await clientele(args, env());
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('has changed');
  expect(await names()).toEqual(['A']);
});
