/** Runs migrations: forward only, one transaction each, recorded with their checksum. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { timeouts } from '../settings/timeouts.ts';
import { codeOf } from './error-code.ts';
import { encodingFault, isFromElsewhere } from './fitness.ts';
import { compareHistory, MigrationError, type Migration } from './migrations.ts';

/** Concurrent runs take turns on this lock, whatever machine they are on. */
const lockId = 4_716_310_058;

/** A migration whose lock is not free is tried again, for about a quarter of an hour. */
const lockRetries = { pauseMs: 5_000, attempts: 180 };

const historyTable = `
  create schema if not exists clientele;
  create table if not exists clientele.migrations (
    number int primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz(3) not null default now(),
    oldest_program int not null
  )`;

/** Brings the database up to date and returns the names of the applied migrations. */
export async function migrate(
  client: pg.ClientBase,
  migrations: Migration[],
  log: (line: string) => void = () => undefined,
  retries: typeof lockRetries = lockRetries,
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
      await applyWhenFree(client, migration, log, retries);
      log(`Applied ${migration.name}.`);
    }
    await adoptChanges(client, log);
    return pending.map(({ name }) => name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

/** Tests migrate with folders that do not define it. */
async function adoptChanges(client: pg.ClientBase, log: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ defined: boolean }>(
    `select to_regprocedure('clientele.adopt_changes()') is not null as defined`,
  );
  if (!rows[0]!.defined) return;
  if (await isFromElsewhere(client)) {
    log('The database was restored from another cluster: its change log starts again.');
  }
  await client.query('select clientele.adopt_changes()');
}

/** Tries again while other sessions hold locks that the migration needs. */
async function applyWhenFree(
  client: pg.ClientBase,
  migration: Migration,
  log: (line: string) => void,
  { pauseMs, attempts }: typeof lockRetries,
): Promise<void> {
  for (let attempt = 1; !(await apply(client, migration)); attempt += 1) {
    const holder = await oldestTransaction(client);
    if (attempt === attempts) {
      throw new MigrationError(
        `${migration.name} failed: another session holds a lock that it needs.${holder}\n` +
          'Wait for it or end it, then run: clientele migrate',
      );
    }
    const again = `is tried again in ${pauseMs / 1_000} s (${attempt} of ${attempts})`;
    log(`${migration.name} waits for a lock, and ${again}.${holder}`);
    await sleep(pauseMs);
  }
}

/**
 * Extensions are installed where the search path begins. By default, that is a schema named like the login,
 * if there is one: for the login `clientele`, the schema in which only the owner would find them.
 */
const publicFirst = `
  select set_config('search_path', 'public, ' || current_setting('search_path'), true)`;

/** False if a lock was not free in time. */
async function apply(client: pg.ClientBase, migration: Migration): Promise<boolean> {
  const { number, name, checksum, oldestProgram, sql } = migration;
  await client.query(`begin; set local lock_timeout = ${timeouts.migrationLock}; ${publicFirst}`);
  try {
    await client.query(sql);
    await client.query(
      `insert into clientele.migrations (number, name, checksum, oldest_program)
       values ($1, $2, $3, $4)`,
      [number, name, checksum, oldestProgram],
    );
    await client.query('commit');
    return true;
  } catch (cause) {
    await client.query('rollback');
    if (codeOf(cause) === '55P03') return false;
    const { message, hint } = cause as { message: string; hint?: string };
    const remedy = hint ?? (codeOf(cause) === '42501' ? missingRights : undefined);
    throw new MigrationError(`${name} failed: ${message}${remedy ? `\n${remedy}` : ''}`, { cause });
  }
}

/** Most likely the one that holds the lock. Empty if the user may not see the sessions of others. */
async function oldestTransaction(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
    `select a.pid, coalesce(nullif(a.application_name, ''), a.usename) as name,
       extract(epoch from clock_timestamp() - a.xact_start)::int as seconds
     from pg_stat_activity as a
     where a.datname = current_database() and a.pid <> pg_backend_pid() and a.xact_start is not null
     order by a.xact_start
     limit 1`,
  );
  const [oldest] = rows;
  if (!oldest) return '';
  const { name, pid, seconds } = oldest;
  return ` The oldest open transaction is that of ${name} (process ${pid}), open for ${seconds} s.`;
}

const missingRights =
  'The user of DATABASE_URL lacks a right. Migrating needs to own the database and to create roles; ' +
  'an administrator can instead run:\n' +
  '  create role clientele_reader nologin; create role clientele_writer nologin;\n' +
  '  grant clientele_reader, clientele_writer to the_user;';
