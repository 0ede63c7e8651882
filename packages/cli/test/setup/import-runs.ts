/** Imports by the real executable, and what they leave behind. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFile, type Imported } from '../../src/import/import-file.ts';
import { RejectFile } from '../../src/import/reject-file.ts';
import { openTable, type TableOptions } from '../../src/import/table.ts';
import type { TestDatabase } from '../../../server/test/setup/test-database.ts';

export interface Folder extends AsyncDisposable {
  path(name: string): string;
}

export async function temporaryFolder(): Promise<Folder> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-import-'));
  return {
    path: (name) => join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Counts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  rejected: number;
  superseded: number;
}

/**
 * Everything that an import may leave in the database, and nothing that depends on when it ran. Killed
 * after it had finished, the next run is another one; the counts are those of the first.
 */
export async function leftBehind(database: Pick<TestDatabase, 'query'>) {
  const [customers] = await database.query<{ hash: string; count: number }>(
    `select md5(string_agg(md5(c::text), '' order by c.uuid)) as hash, count(*)::int as count
     from public.customers as c`,
  );
  const [counts] = await database.query<Counts>(
    `select i.read::int, i.inserted::int, i.updated::int, i.unchanged::int, i.deleted::int,
       i.rejected::int, i.superseded::int
     from clientele.imports as i where i.finished_at is not null order by i.id limit 1`,
  );
  return { ...customers!, counts: counts! };
}

/** An import in this process, by DATABASE_URL; for many small ones. */
export async function importHere(
  path: string,
  options: Partial<TableOptions> & { batchSize: number; rejects: string },
): Promise<Imported> {
  const table = await openTable(path, {
    map: new Map(),
    stdin: process.stdin,
    deletes: false,
    ...options,
  });
  return importFile(table, {
    batchSize: options.batchSize,
    asOf: undefined,
    fingerprint: undefined,
    rejects: new RejectFile(options.rejects, false),
    say: () => undefined,
    onProgress: () => undefined,
  });
}

export async function forget(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await database.query(
    'truncate public.customers, clientele.imports, clientele.gone_customers, clientele.changes',
  );
}
