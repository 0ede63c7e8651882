/** Restoring a backup, or swapping in another database or table, under a running instance. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type pg from 'pg';
import {
  createTestDatabase,
  insertRandomCustomers,
  Random,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { UnloggedWritesError } from '@clientele/directory';
import {
  connectTo,
  differencesAtRest,
  postgresUnderTest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

const run = promisify(execFile);
const { binDir } = await postgresUnderTest();
const hasTools = existsSync(join(binDir, 'pg_restore'));

let database: TestDatabase;
let served: ServedList;
let admin: pg.Client;
let folder: TemporaryFolder;
beforeEach(async () => {
  database = await createTestDatabase();
  admin = await connectTo(inject('postgresUrl'));
  folder = await temporaryFolder();
  const owner = await database.connect();
  await insertRandomCustomers(owner, new Random(1), 100);
  await owner.end();
  served = serveList(database.url);
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await admin.end();
  await folder[Symbol.asyncDispose]();
});

/** What differs between the list and the table, before and after other writes. */
async function differences(): Promise<unknown[]> {
  const owner = await connectTo(database.url);
  const found: unknown[] = [];
  for (let i = 0; i < 3; i += 1) {
    found.push(...(await differencesAtRest(served)));
    await insertRandomCustomers(owner, new Random(i), 3);
  }
  await owner.end();
  return found;
}

async function addMore(count: number): Promise<void> {
  const owner = await connectTo(database.url);
  await insertRandomCustomers(owner, new Random(2), count);
  await owner.end();
  expect(await served.total()).toBe(100 + count);
  expect((await served.page('anna')).data.length).toBeGreaterThan(0);
}

/** Requests run all the time, and may fail while the database is incomplete. */
async function whileServing(work: () => Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const reading = (async () => {
    while (!done.signal.aborted) await served.total().catch(() => undefined);
  })();
  await work().finally(() => done.abort());
  await reading;
}

describe.skipIf(!hasTools)('with pg_dump and pg_restore', () => {
  const tool = (name: string, ...args: string[]) => run(join(binDir, name), args);
  const backup = () => folder.path('backup');

  test('the list is exact after the database was dropped and restored', async () => {
    await tool('pg_dump', '-Fc', '-f', backup(), database.url);
    await addMore(50);
    await whileServing(async () => {
      await admin.query(`drop database ${database.name} with (force)`);
      await admin.query(
        `create database ${database.name} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
      );
      await tool('pg_restore', '-d', database.url, backup());
    });
    expect(await differences()).toEqual([]);
  });

  test('the list is exact after a restore into the live database', async () => {
    await tool('pg_dump', '-Fc', '-f', backup(), database.url);
    await addMore(50);
    await tool('pg_restore', '--clean', '--if-exists', '-d', database.url, backup());
    expect(await differences()).toEqual([]);
  });

  test('a count made in the middle of a restore is not used after it', async () => {
    await tool('pg_dump', '-Fc', '-f', backup(), database.url);
    await addMore(50);
    await whileServing(() =>
      tool('pg_restore', '--clean', '--if-exists', '-d', database.url, backup()),
    );
    expect(await differences()).toEqual([]);
  });

  test('the list is exact after a restore of the data alone, with triggers disabled', async () => {
    await tool('pg_dump', '-Fc', '-f', backup(), database.url);
    expect(await served.total()).toBe(100);
    const owner = await connectTo(database.url);
    await owner.query('delete from customers');
    expect(await served.total()).toBe(0);
    await owner.end();
    await tool(
      'pg_restore',
      ...['--data-only', '--disable-triggers', '--table=customers', '-d', database.url, backup()],
    );
    await expectRefusedUntilEnabled();
  });
});

test('the list is exact after a copy of the database took its name', async () => {
  const copy = `${database.name}_copy`;
  // A copy has the same object identifiers and files as the original.
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`,
  );
  await admin.query(`create database ${copy} template ${database.name} locale 'C.UTF-8'`);
  await addMore(50);
  await admin.query(`drop database ${database.name} with (force)`);
  await admin.query(`alter database ${copy} rename to ${database.name}`);
  expect(await differences()).toEqual([]);
});

test('the list is exact after another table took the name of the customers', async () => {
  await addMore(50);
  const owner = await connectTo(database.url);
  await owner.query(`
    begin;
    create table public.incoming (like public.customers including all);
    insert into public.incoming (uuid, full_name, email_address)
      select uuid, full_name, email_address from public.customers limit 40;
    alter table public.customers rename to outgoing;
    alter table public.incoming rename to customers;
    grant select on public.customers to clientele_reader;
    commit`);
  await expect(served.total(), 'no trigger logs its writes').rejects.toThrow(UnloggedWritesError);
  await owner.query(`
    begin;
    alter table public.customers rename to incoming;
    alter table public.outgoing rename to customers;
    commit`);
  await owner.end();
  expect(await differences()).toEqual([]);
});

test('a list whose writes are not logged is refused, and exact once they are', async () => {
  expect(await served.total()).toBe(100);
  const owner = await connectTo(database.url);
  await owner.query('alter table customers disable trigger all');
  await insertRandomCustomers(owner, new Random(3), 7);
  await expect(served.total()).rejects.toThrow(UnloggedWritesError);
  await owner.query('alter table customers enable trigger all');
  await owner.end();
  await expectRefusedUntilEnabled();
});

test('writes while a trigger was disabled are counted, though no request met it', async () => {
  expect(await served.total()).toBe(100);
  const owner = await connectTo(database.url);
  await owner.query('alter table customers disable trigger log_inserts');
  await insertRandomCustomers(owner, new Random(3), 7);
  await owner.query('alter table customers enable trigger log_inserts');
  await owner.end();
  expect(await differences()).toEqual([]);
});

/** Enabling all triggers enables those for logical replication in every session: changes count twice. */
async function expectRefusedUntilEnabled(): Promise<void> {
  await expect(served.total()).rejects.toThrow(UnloggedWritesError);
  const owner = await connectTo(database.url);
  await owner.query(`
    alter table customers enable replica trigger log_replicated_inserts;
    alter table customers enable always trigger log_updates;
    alter table customers enable always trigger log_deletes;
    alter table customers enable always trigger log_truncate`);
  await owner.end();
  expect(await differences()).toEqual([]);
}
