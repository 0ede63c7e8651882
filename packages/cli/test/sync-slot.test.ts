/** The documented pipe from a logical replication slot of another PostgreSQL into `clientele sync`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPostgres, startPrivatePostgres } from '@clientele/sandbox';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  customerId as id,
  temporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { main } from './setup/executable.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const found = (await findPostgres()).find(({ binDir }) =>
  existsSync(join(binDir, 'pg_recvlogical')),
);

/** A PostgreSQL with a replication slot, and the documented ways to sync its table `people`. */
async function startSource(env: Record<string, string>) {
  const source = await startPrivatePostgres({
    postgres: found!,
    settings: { wal_level: 'logical' },
  });
  const client = new pg.Client({ connectionString: source.url });
  await client.connect();
  await client.query(`
    create table people (id uuid primary key, name text, mail text, phone text, "Odd Name" int);
    create table others (id int primary key)`);
  await client.query(`select pg_create_logical_replication_slot('clientele', 'test_decoding')`);
  const { username, password, hostname, port } = new URL(source.url);

  /** Runs a script in its own process group, with the commands `decode` and `sync`. */
  const run = (script: string) => {
    const child = spawn(
      'bash',
      [
        '-c',
        `set -o pipefail
         decode() { "$NODE" "$DECODE" public.people; }
         sync() { "$NODE" "$MAIN" sync --quiet --raw --map mail=email_address --rejects "$REJECTS"; }
         ${script}`,
      ],
      {
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          PATH: `${found!.binDir}:${process.env['PATH']}`,
          NODE: process.execPath,
          DECODE: file('../../../examples/postgres-slot/test-decoding-to-ndjson.mjs'),
          MAIN: main,
          PGHOST: hostname,
          PGPORT: port,
          PGUSER: username,
          PGPASSWORD: password,
          PGDATABASE: 'postgres',
          ...env,
        },
      },
    );
    return { pid: child.pid!, ended: once(child, 'exit') };
  };

  return {
    client,
    /** The documented pipe, killed when disposed. */
    startPipe(): AsyncDisposable {
      const { pid, ended } = run(
        'pg_recvlogical -d postgres --slot clientele --start -f - | decode | sync',
      );
      return {
        async [Symbol.asyncDispose]() {
          process.kill(-pid, 'SIGKILL');
          await ended;
        },
      };
    },
    /** One iteration of the documented loop. */
    async round(): Promise<void> {
      const { ended } = run(`
        upto=$(psql -Atc 'select pg_current_wal_lsn()')
        psql -Atc "select data from pg_logical_slot_peek_changes('clientele', '$upto', null)" |
          decode | sync || [ $? -eq 3 ] &&
          psql -qAtc "select pg_replication_slot_advance('clientele', '$upto')" >/dev/null`);
      expect(await ended).toEqual([0, null]);
    },
    async [Symbol.asyncDispose]() {
      await client.end();
      await source.stop();
    },
  };
}

async function expectSlotToBeFree(client: pg.Client): Promise<void> {
  const slotIsFree = async (): Promise<void> => {
    const { rows } = await client.query('select active from pg_replication_slots');
    expect(rows).toEqual([{ active: false }]);
  };
  await vi.waitFor(slotIsFree, { timeout: 300_000, interval: 50 });
}

/** Waits until the directory has the same customers as the source. */
async function expectSameCustomers(client: pg.Client, target: TestDatabase): Promise<void> {
  const { rows } = await client.query(
    `select id as uuid, name as full_name, mail as email_address, phone as phone_number
     from people order by id`,
  );
  await vi.waitFor(
    async () =>
      expect(
        await target.query(
          'select uuid, full_name, email_address, phone_number from customers order by uuid',
        ),
      ).toEqual(rows),
    { timeout: 300_000, interval: 50 },
  );
}

test.skipIf(!found)(
  'changes of a table in another PostgreSQL are applied, also after a kill',
  async () => {
    await using folder = await temporaryFolder();
    await using target = await createTestDatabase();
    await using source = await startSource({
      REJECTS: folder.path('rejects.csv'),
      DATABASE_URL: target.url,
    });
    const { client } = source;
    {
      await using _pipe = source.startPipe();
      await client.query(
        `insert into people values
           ('${id(1)}', 'Pat O''Brien', 'pat@mail.example', '030 5550100', 1),
           ('${id(2)}', E'two\nlines ''and'' [text]:''x''', 'two@mail.example', null, null),
           ('${id(3)}', 'Zoë 山田 "Z"', 'zoe@mail.example', '', 3),
           ('${id(5)}', 'Old', 'old@mail.example', '030 5550105', 5);
         insert into others values (1)`,
      );
      await expectSameCustomers(client, target);
      await client.query(`
        begin;
        update people set phone = null where id = '${id(1)}';
        delete from people where id = '${id(5)}';
        insert into people (id, name, mail) values ('${id(5)}', 'New', 'new@mail.example');
        delete from people where id = '${id(2)}';
        update people set id = '${id(4)}' where id = '${id(3)}';
        insert into people select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
          'Person ' || n, 'n' || n || '@mail.example' from generate_series(100, 2600) as n;
        commit`);
      await expectSameCustomers(client, target);
    }
    await client.query(`update people set name = 'Without a reader' where id = '${id(1)}'`);
    await expectSlotToBeFree(client);
    {
      await using _pipe = source.startPipe();
      await expectSameCustomers(client, target);
    }
    await expectSlotToBeFree(client);
    await client.query(`
      update people set name = 'In a round', phone = E'a\\nb' where id = '${id(1)}';
      delete from people where id = '${id(4)}'`);
    // A round may miss a commit that is not flushed yet; the next one reads it.
    await vi.waitFor(
      async () => {
        await source.round();
        const { rows } = await client.query(
          `select c.data from pg_logical_slot_peek_changes('clientele', null, null) as c
           where c.data like 'table%'`,
        );
        expect(rows, 'the slot has advanced past the applied changes').toEqual([]);
      },
      { timeout: 300_000 },
    );
    await expectSameCustomers(client, target);
  },
);
