/** The migrations: numbered SQL files, and which of them a database has. Its history must equal the files. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { codeOf } from './error-code.ts';
import { packageFolder } from '../settings/package-folder.ts';

export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
  /**
   * The oldest program that can be used with the migrated database, named by the last migration it has. A line
   * like `-- oldest program: 000011` in the file; without it, only a program that has the migration.
   */
  oldestProgram: number;
}

const migrationsFolder = new URL('migrations/', packageFolder);

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
      const oldest = /^-- oldest program: (\d{6})$/m.exec(sql)?.[1] ?? number;
      return { number: Number(number), name, sql, checksum, oldestProgram: Number(oldest) };
    }),
  );
}

export interface History {
  /** The migrations that the database lacks. */
  pending: Migration[];
  /** Says that the database has migrations that the program lacks. */
  newer: string | undefined;
}

/** Compares the migrations of the database with the files. Rejects a history with which they cannot be used. */
export async function compareHistory(
  client: Pick<pg.ClientBase, 'query'>,
  migrations: Migration[],
): Promise<History> {
  const { rows } = await client.query<{
    number: number;
    name: string;
    checksum: string;
    oldest: number;
  }>(
    `select m.number, m.name, m.checksum, m.oldest_program as oldest
     from clientele.migrations as m
     order by m.number`,
  );
  let newer: string | undefined;
  for (const { number, name, checksum, oldest } of rows) {
    const file = migrations[number - 1];
    if (!file) {
      const found = `The database is newer than this program: it has ${name}.`;
      if (oldest > migrations.length) throw new MigrationError(`${found} Use the newer program.`);
      newer = `${found} This program can still be used.`;
    } else if (file.checksum !== checksum) {
      throw new MigrationError(
        `${file.name} was edited after it was applied to this database. ` +
          'Restore it, and put the change into a new migration.',
      );
    }
  }
  return { pending: migrations.slice(rows.length), newer };
}

/** Refuses a database that this program cannot be used with, unless the user may not see its history. */
export async function checkHistory(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  try {
    await compareHistory(client, await readMigrations());
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
  }
}
