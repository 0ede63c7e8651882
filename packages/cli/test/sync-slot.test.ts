/** The documented pipe from a logical replication slot of another PostgreSQL into `clientele sync`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPostgres, startPrivatePostgres } from '@clientele/sandbox';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { createTestDatabase, temporaryFolder, customerId as id } from '@clientele/sandbox/testing';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const found = (await findPostgres()).find(({ binDir }) =>
  existsSync(join(binDir, 'pg_recvlogical')),
);

test.skipIf(!found)(
  'changes of a table in another PostgreSQL are applied, also after a kill',
  async () => {
    const { binDir } = found!;
    await using folder = await temporaryFolder();
    await using target = await createTestDatabase();
    const source = await startPrivatePostgres({
      postgres: found!,
      settings: { wal_level: 'logical' },
    });
    const client = new pg.Client({ connectionString: source.url });
    await client.connect();
    const { username, password, hostname, port } = new URL(source.url);
    const run = (script: string) => {
      const child = spawn(
        'bash',
        [
          '-c',
          `set -o pipefail
         decode() { "$NODE" "$DECODE" public.people; }
         sync() { "$NODE" "$MAIN" sync --quiet --map mail=email_address --rejects "$REJECTS"; }
         ${script}`,
        ],
        {
          detached: true,
          stdio: ['ignore', 'inherit', 'inherit'],
          env: {
            PATH: `${binDir}:${process.env['PATH']}`,
            NODE: process.execPath,
            DECODE: file('../../../examples/postgres-slot/test-decoding-to-ndjson.mjs'),
            MAIN: file('../src/main.ts'),
            REJECTS: folder.path('rejects.csv'),
            PGHOST: hostname,
            PGPORT: port,
            PGUSER: username,
            PGPASSWORD: password,
            PGDATABASE: 'postgres',
            DATABASE_URL: target.url,
          },
        },
      );
      return { pid: child.pid!, ended: once(child, 'exit') };
    };
    /** The documented pipe, in its own process group. */
    const startPipe = () => {
      const { pid, ended } = run(
        'pg_recvlogical -d postgres --slot clientele --start -f - | decode | sync',
      );
      return {
        async kill() {
          process.kill(-pid, 'SIGKILL');
          await ended;
        },
      };
    };
    /** One iteration of the documented loop. */
    const round = async (): Promise<void> => {
      const { ended } = run(`
      upto=$(psql -Atc 'select pg_current_wal_lsn()')
      psql -Atc "select data from pg_logical_slot_peek_changes('clientele', '$upto', null)" |
        decode | sync || [ $? -eq 3 ] &&
        psql -qAtc "select pg_replication_slot_advance('clientele', '$upto')" >/dev/null`);
      expect(await ended).toEqual([0, null]);
    };
    const slotIsFree = async (): Promise<void> => {
      const { rows } = await client.query('select active from pg_replication_slots');
      expect(rows).toEqual([{ active: false }]);
    };
    const agree = async (): Promise<void> => {
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
        { timeout: 20_000, interval: 50 },
      );
    };
    try {
      await client.query(`
      create table people (id uuid primary key, name text, mail text, phone text, "Odd Name" int);
      create table others (id int primary key)`);
      await client.query(`select pg_create_logical_replication_slot('clientele', 'test_decoding')`);
      const pipe = startPipe();
      try {
        await client.query(
          `insert into people values
           ('${id(1)}', 'Pat O''Brien', 'pat@mail.example', '030 5550100', 1),
           ('${id(2)}', E'two\nlines ''and'' [text]:''x''', 'two@mail.example', null, null),
           ('${id(3)}', 'Zoë 山田 "Z"', 'zoe@mail.example', '', 3);
         insert into others values (1)`,
        );
        await agree();
        await client.query(`
        begin;
        update people set phone = null where id = '${id(1)}';
        delete from people where id = '${id(2)}';
        update people set id = '${id(4)}' where id = '${id(3)}';
        insert into people select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
          'Person ' || n, 'n' || n || '@mail.example' from generate_series(100, 2600) as n;
        commit`);
        await agree();
      } finally {
        await pipe.kill();
      }
      await client.query(`update people set name = 'While nobody listened' where id = '${id(1)}'`);
      await vi.waitFor(slotIsFree, { timeout: 20_000, interval: 50 });
      const again = startPipe();
      try {
        await agree();
      } finally {
        await again.kill();
      }
      await vi.waitFor(slotIsFree, { timeout: 20_000, interval: 50 });
      await client.query(`
      update people set name = 'In a round', phone = E'a\\nb' where id = '${id(1)}';
      delete from people where id = '${id(4)}'`);
      // A round may miss a commit that is not flushed yet; the next one reads it.
      await vi.waitFor(
        async () => {
          await round();
          const { rows } = await client.query(
            `select c.data from pg_logical_slot_peek_changes('clientele', null, null) as c
           where c.data like 'table%'`,
          );
          expect(rows, 'the slot has advanced past the applied changes').toEqual([]);
        },
        { timeout: 20_000 },
      );
      await agree();
    } finally {
      await client.end();
      await source.stop();
    }
  },
);
