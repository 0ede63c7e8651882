/** Files to import, and the state of the database after an import. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import type { TestDatabase } from '@clientele/sandbox/testing';
import { customersCsv } from '@clientele/sandbox/generator';

/** Customers, then some of them again: with another name, or with an invalid UUID. */
export async function writeCsv(path: string, count: number, again: number): Promise<void> {
  await writeFile(path, customersCsv(7, 0, count));
  const lines = (await readFile(path, 'utf8')).split('\n');
  const more = Array.from({ length: again }, (_, i) => {
    const cells = lines[1 + Math.floor((i * count) / again)]!.split(',');
    return i % 3 === 0
      ? `x${cells.join(',')}`
      : [cells[0], 'Changed', ...cells.slice(-8)].join(',');
  });
  await appendFile(path, `${more.join('\n')}\n`);
}

export interface Counts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  rejected: number;
  superseded: number;
  suppressed: number;
}

/**
 * Everything an import writes, except times. If a run was killed after it had finished, running the command
 * again starts a second import; the counts are those of the first.
 */
export async function importedState(database: Pick<TestDatabase, 'query'>) {
  const [customers] = await database.query<{ hash: string; count: number }>(
    `select md5(string_agg(md5(c::text), '' order by c.uuid)) as hash, count(*)::int as count
     from public.customers as c`,
  );
  const [counts] = await database.query<Counts>(
    `select i.read::int, i.inserted::int, i.updated::int, i.unchanged::int, i.deleted::int,
       i.rejected::int, i.superseded::int, i.suppressed::int
     from clientele.imports as i where i.finished_at is not null order by i.id limit 1`,
  );
  return { ...customers!, counts: counts! };
}

export async function resetDatabase(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await database.query(
    'truncate public.customers, clientele.imports, clientele.gone_customers, clientele.changes, clientele.erasures cascade',
  );
}
