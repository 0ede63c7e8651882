/** Forward-only migrations: numbered SQL files, one transaction each, recorded with their checksum. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { codeOf, DatabaseUnfitError } from './errors.ts';

export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
}

export const migrationsFolder = new URL('../../migrations/', import.meta.url);

/** Two runs at once take turns on this lock, whatever machine they are on. */
const lockId = 4_716_310_058;

export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export async function readMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      const number = /^(\d{6})_[a-z0-9_]+\.sql$/.exec(name)?.[1];
      if (number === undefined) {
        throw new MigrationError(
          `${name} is misnamed: a migration is called 000001_some_words.sql`,
        );
      }
      if (Number(number) !== index + 1) {
        throw new MigrationError(
          `${name} is out of order: its number should be ${String(index + 1).padStart(6, '0')}`,
        );
      }
      const sql = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { number: Number(number), name, sql, checksum };
    }),
  );
}

/** Brings the database up to date and returns the names of what was applied. */
export async function migrate(
  client: pg.ClientBase,
  migrations: Migration[],
  onApplied: (name: string) => void = () => undefined,
): Promise<string[]> {
  await requireUtf8(client);
  await client.query('select pg_advisory_lock($1)', [lockId]);
  try {
    await client.query(`
      create schema if not exists clientele;
      create table if not exists clientele.migrations (
        number int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz(3) not null default now()
      )`);
    const applied: string[] = [];
    for (const migration of await pendingMigrations(client, migrations)) {
      await apply(client, migration);
      applied.push(migration.name);
      onApplied(migration.name);
    }
    // Not in every folder that a test migrates with.
    await client.query(`
      do $$ begin
        if to_regprocedure('clientele.adopt_changes()') is not null then
          perform clientele.adopt_changes();
        end if;
      end $$`);
    return applied;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

export const betterDatabase = `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`;

/** Before any file is sent, as no other encoding can even hold their text. */
async function requireUtf8(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    'select getdatabaseencoding() as encoding',
  );
  const encoding = rows[0]!.encoding;
  if (encoding === 'UTF8') return;
  throw new MigrationError(
    `The encoding of this database is ${encoding}, which cannot hold every name. ` +
      `Make one in UTF-8, then migrate that one: ${betterDatabase}`,
  );
}

async function apply(client: pg.ClientBase, { number, name, checksum, sql }: Migration) {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(
      'insert into clientele.migrations (number, name, checksum) values ($1, $2, $3)',
      [number, name, checksum],
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

/** What the database still lacks. Refuses a history that differs from the files. */
export async function pendingMigrations(
  client: Pick<pg.ClientBase, 'query'>,
  migrations: Migration[],
): Promise<Migration[]> {
  const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
    'select m.number, m.name, m.checksum from clientele.migrations as m order by m.number',
  );
  for (const { number, name, checksum } of rows) {
    const file = migrations[number - 1];
    if (!file) {
      throw new MigrationError(
        `The database is newer than this program: it has ${name}. Use the newer program.`,
      );
    }
    if (file.checksum !== checksum) {
      throw new MigrationError(
        `${file.name} was edited after it was applied to this database. ` +
          'Restore it, and put the change into a new migration.',
      );
    }
  }
  return migrations.slice(rows.length);
}

/** Throws, with the command to run, unless the database is one that this program can serve from. */
export async function checkFitness(client: Pick<pg.ClientBase, 'query'>, migrations: Migration[]) {
  const unmigrated = 'Run: clientele migrate';
  let pending: Migration[];
  try {
    pending = await pendingMigrations(client, migrations);
  } catch (cause) {
    const missing = ['3F000', '42P01', '42501'].includes(codeOf(cause) ?? '');
    if (missing) {
      throw new DatabaseUnfitError(`The database has no Clientele tables yet. ${unmigrated}`, {
        cause,
      });
    }
    if (cause instanceof MigrationError) throw new DatabaseUnfitError(cause.message, { cause });
    throw cause;
  }
  if (pending.length > 0) {
    const names = pending.map(({ name }) => name).join(', ');
    throw new DatabaseUnfitError(`The database lacks ${names}. ${unmigrated}`);
  }
  const log = await client.query<{ foreign: boolean }>(
    `select h.cluster <> c.system_identifier as foreign
     from clientele.changes_horizon as h, pg_control_system() as c`,
  );
  if (log.rows[0]?.foreign) {
    throw new DatabaseUnfitError(`The database was restored from another cluster. ${unmigrated}`);
  }
  const { rows } = await client.query<{ blind: boolean }>(
    `select show_trgm('é田') = '{}' as blind`,
  );
  if (rows[0]?.blind) {
    throw new DatabaseUnfitError(
      'The locale of this database hides letters beyond ASCII from pg_trgm, so searches would scan ' +
        `the whole table. Move the data to a database made with a UTF-8 locale, such as: ${betterDatabase}`,
    );
  }
}
