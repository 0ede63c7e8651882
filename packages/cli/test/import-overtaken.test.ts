/** An interrupted import is resumed only if no other file was imported since: of equally new records, the last counts. */
import { expect, test, vi } from 'vitest';
import { startClientele } from './setup/executable.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { counts, database, names, rejects, run, save } = setUpImports();

const waiting = () =>
  database().query(
    `select from pg_stat_activity as a
     where a.datname = current_database() and a.application_name = 'clientele import' and a.wait_event_type = 'Lock'`,
  );

/** Starts the import, and kills it when it waits for customer 2. */
async function killAtCustomer2(...args: string[]): Promise<void> {
  const other = await database().connect();
  await other.query(`begin; select from customers where uuid::text like '%2' for update`);
  await using started = startClientele(
    ['import', ...args, '--batch', '1', '--rejects', rejects()],
    {
      DATABASE_URL: database().url,
    },
  );
  const ended = started.exited.then(({ stderr }) => stderr);
  await vi.waitFor(async () => expect(await waiting(), started.output()).toHaveLength(1), {
    timeout: 300_000,
    interval: 20,
  });
  started.kill('SIGKILL');
  await ended;
  await other.query('rollback');
}

async function saveBoth(): Promise<[string, string]> {
  await counts(csv(head, row(2, 'Bob Old')));
  const base = await save('base.csv', csv(head, row(1, 'Ada Old')));
  const delta = await save('delta.csv', csv(head, row(1, 'Ada New'), row(2, 'Bob New')));
  return [base, delta];
}

test('the same command again gives what it gives without the interruption', async () => {
  const [base, delta] = await saveBoth();
  await killAtCustomer2(base, delta);
  expect(await names()).toEqual({ 1: 'Ada New', 2: 'Bob Old' });
  const { code, stderr } = await run(base, delta, '--batch', '1');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'Other files were imported since this import was interrupted, so it starts from the beginning.',
  );
  expect(await names()).toEqual({ 1: 'Ada New', 2: 'Bob New' });
});

test.each([
  ['an import', []],
  ['--replace', ['--replace', '--yes']],
])(
  'after %s of another file, an interrupted import starts from the beginning',
  async (_, options) => {
    const [base, delta] = await saveBoth();
    await killAtCustomer2(delta);
    expect((await run(base, ...options)).code).toBe(0);
    expect((await run(delta, '--batch', '1')).code).toBe(0);
    expect(await names()).toEqual({ 1: 'Ada New', 2: 'Bob New' });
  },
);

test('a feed in between does not keep an import from being resumed', async () => {
  const [, delta] = await saveBoth();
  await killAtCustomer2(delta);
  await using feed = startClientele(
    ['sync', '--rejects', rejects()],
    { DATABASE_URL: database().url },
    { stdin: 'pipe' },
  );
  feed.stdin!.end(
    `${JSON.stringify({ uuid: row(3, '').split(',')[0], full_name: 'Cy', email_address: 'c@mail.example' })}\n`,
  );
  expect((await feed.exited).code).toBe(0);
  expect((await run(delta, '--batch', '1')).stderr).toContain('resuming after 1 records');
  expect(await names()).toEqual({ 1: 'Ada New', 2: 'Bob New', 3: 'Cy' });
});
