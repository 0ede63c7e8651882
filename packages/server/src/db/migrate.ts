/** Runs migrations: forward only, one transaction each, recorded with their checksum. */
import type pg from 'pg';
import { codeOf } from './errors.ts';
import { encodingFault } from './fitness.ts';
import { compareHistory, MigrationError, type Migration } from './migrations.ts';

/** Concurrent runs take turns on this lock, whatever machine they are on. */
const lockId = 4_716_310_058;

/** A column is added only where it is missing, because that takes a lock that a dump would block. */
const historyTable = `
  create schema if not exists clientele;
  create table if not exists clientele.migrations (
    number int primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz(3) not null default now()
  );
  do $$ begin
    if not exists (
      select from pg_attribute as a
      where a.attrelid = 'clientele.migrations'::regclass and a.attname = 'oldest_program'
    ) then
      alter table clientele.migrations add column oldest_program int;
    end if;
  end $$`;

/** Brings the database up to date and returns the names of the applied migrations. */
export async function migrate(
  client: pg.ClientBase,
  migrations: Migration[],
  log: (line: string) => void = () => undefined,
): Promise<string[]> {
  // Before any file is sent, because no other encoding can hold their text.
  const fault = await encodingFault(client);
  if (fault) throw new MigrationError(`${fault.found} ${fault.remedy}`);
  await client.query('select pg_advisory_lock($1)', [lockId]);
  try {
    await client.query(historyTable);
    const { pending, newer } = await compareHistory(client, migrations);
    if (newer) log(newer);
    for (const migration of pending) {
      await apply(client, migration);
      log(`Applied ${migration.name}.`);
    }
    // Tests migrate with folders that do not define it.
    await client.query(`
      do $$ begin
        if to_regprocedure('clientele.adopt_changes()') is not null then
          perform clientele.adopt_changes();
        end if;
      end $$`);
    return pending.map(({ name }) => name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

async function apply(client: pg.ClientBase, migration: Migration) {
  const { number, name, checksum, oldestProgram, sql } = migration;
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(
      `insert into clientele.migrations (number, name, checksum, oldest_program)
       values ($1, $2, $3, $4)`,
      [number, name, checksum, oldestProgram],
    );
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    const { message, hint } = cause as { message: string; hint?: string };
    const remedy = hint ?? (codeOf(cause) === '42501' ? missingRights : undefined);
    throw new MigrationError(`${name} failed: ${message}${remedy ? `\n${remedy}` : ''}`, { cause });
  }
}

const missingRights =
  'The user of DATABASE_URL lacks a right. Migrating needs to own the database and to create roles; ' +
  'an administrator can instead run:\n' +
  '  create role clientele_reader nologin; create role clientele_writer nologin;\n' +
  '  grant clientele_reader, clientele_writer to the_user;';
