/** The migrations: numbered SQL files, and which of them a database has. Its history must equal the files. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
}

export const migrationsFolder = new URL('../../migrations/', import.meta.url);

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

/** The migrations that the database lacks. Rejects a history that differs from the files. */
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
