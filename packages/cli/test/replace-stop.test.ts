/** `clientele import --replace` that is stopped by a signal changes nothing. */
import { expect, test, vi } from 'vitest';
import { customerId as id } from '@clientele/sandbox/testing';
import { startClientele, type Executable } from './setup/executable.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { counts, database, names, rejects, save } = setUpImports();

const replace = (file: string, ...args: string[]): Executable =>
  startClientele(['import', file, '--replace', '--rejects', rejects(), ...args], {
    DATABASE_URL: database().url,
  });

const waitingLocks = () =>
  database().query(
    `select l.pid from pg_locks as l where not l.granted and l.relation = 'customers'::regclass
       and l.database = (select d.oid from pg_database as d where d.datname = current_database())`,
  );

test.each([
  ['while the file is compared with the customers', 'SIGINT', 'access exclusive'],
  ['before the customers are replaced', 'SIGTERM', 'row exclusive'],
] as const)('%s, %s ends it', async (_, signal, mode) => {
  await counts(csv(head, row(1, 'A'), row(2, 'B')));
  const file = await save('new.csv', csv(head, row(2, 'B2'), row(3, 'C')));
  const other = await database().connect();
  await other.query(`begin; lock table customers in ${mode} mode`);
  await using run = replace(file, '--yes');
  await vi.waitFor(async () => expect(await waitingLocks()).toHaveLength(1), {
    timeout: 300_000,
    interval: 20,
  });
  run.kill(signal);
  // The lock is still held.
  const { code, stderr } = await run.exited;
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The import was stopped. Nothing was changed.'),
  });
  await vi.waitFor(async () => expect(await waitingLocks()).toEqual([]), {
    timeout: 300_000,
    interval: 50,
  });
  await other.query('rollback');
  expect(await names()).toEqual({ 1: 'A', 2: 'B' });
  expect(await database().query(`select from customers where uuid = '${id(3)}'`)).toEqual([]);
});
