/** Replaces all customers with those in the files: stages the files, then applies them in one transaction. */
import { Suppressions } from '@clientele/server';
import type pg from 'pg';
import { nothingAccepted, type Accepted } from './accept.ts';
import { BatchBuilder } from './batch-builder.ts';
import { ImportCheck } from './check-file.ts';
import { connectAsWriter } from './connect-as-writer.ts';
import type { Counts, Tally } from './counts.ts';
import { CustomersCopy } from './customers-copy.ts';
import { refusal } from './findings.ts';
import { FirstImport } from './first-import.ts';
import { readIdNamespace } from './id-namespace.ts';
import { inBatches } from './in-batches.ts';
import { ImportError } from './import-error.ts';
import type { RejectFile } from './reject-file.ts';
import { isDataError } from './stage-batch.ts';
import { markChecked, takeNewlySuppressed, takeSuppressed } from './suppressed-records.ts';
import { logNotes, logWarnings, type Table } from './table.ts';
import { assignLayers, createStaging, stage, upsert } from './upsert.ts';

export interface ReplaceOptions {
  databaseUrl: string;
  secretFile?: string | undefined;
  asOf?: string | undefined;
  batch: number;
  /** Whether more than a tenth of all customers may be removed. */
  accept?: Accepted | undefined;
  despiteRejects?: boolean | undefined;
  /** One for each table. */
  rejects: readonly RejectFile[];
  log: (line: string) => void;
  onProgress: (read: number) => void;
  /** Called when everything is staged. If it throws, nothing is changed. */
  confirm: (plan: ReplacePlan) => Promise<void>;
  /** Count what would change, and change nothing. */
  check?: boolean | undefined;
}

export interface ReplacePlan {
  records: number;
  customers: number;
  /** Customers that are in none of the records and will be removed. */
  missing: number;
}

export interface Replaced extends Tally {
  removed: number;
}

/** Customers that are not in the files, except those changed after `asOf`. */
const missing = (asOf: string | undefined): string => `
  from public.customers as c
  where not exists (select from pg_temp.incoming as i where i.uuid = c.uuid)
    ${asOf === undefined ? '' : 'and not coalesce(c.updated_at > $1, false)'}`;

export async function replaceWith(
  tables: readonly Table[],
  options: ReplaceOptions,
): Promise<Replaced> {
  try {
    return await replaceStaged(tables, options);
  } catch (error) {
    if (!isDataError(error)) throw error;
    throw await listRefused(tables, options);
  }
}

/** Nothing was changed, because one statement writes all records. Says which of them the database refuses. */
async function listRefused(
  tables: readonly Table[],
  { databaseUrl, secretFile, batch: batchSize, asOf, rejects, onProgress }: ReplaceOptions,
): Promise<ImportError> {
  const session = await ImportCheck.open(databaseUrl, secretFile);
  let refused = 0;
  try {
    for (const [i, table] of tables.entries()) {
      const { rejected } = await session.check(table, {
        batchSize,
        asOf,
        rejects: rejects[i]!,
        log: () => undefined,
        onProgress: ({ read }) => onProgress(read),
      });
      refused += rejected;
    }
  } finally {
    await session.close();
  }
  const paths = rejects.map(({ path }) => path).filter(Boolean);
  const listed = paths.length === 0 ? '' : ` They are listed in ${paths.join(', ')}.`;
  return new ImportError(
    `The database refused some of ${refused} rejected records. Nothing was changed.${listed} Correct or remove them.`,
  );
}

async function replaceStaged(tables: readonly Table[], options: ReplaceOptions): Promise<Replaced> {
  const client = await connectAsWriter(options.databaseUrl);
  try {
    // The whole file is joined with the whole table, so the joins that are off for batches are useful.
    await client.query('set enable_hashjoin = on; set enable_mergejoin = on');
    await createStaging(client, true);
    const asOf = options.asOf === 'now' ? new Date().toISOString() : options.asOf;
    const suppressions = await Suppressions.open(client, options.secretFile);
    const staged = await stageAll(client, suppressions, tables, { ...options, asOf });
    checkStaged(staged, options);
    await client.query('create index on pg_temp.incoming (uuid); analyze pg_temp.incoming');
    const layers = await assignLayers(client);
    const values = asOf === undefined ? [] : [asOf];
    const { rows } = await client.query<Omit<ReplacePlan, 'records'>>(
      `select count(*)::int as missing,
         (select count(*)::int from public.customers) as customers ${missing(asOf)}`,
      values,
    );
    checkRemovals(rows[0]!, options);
    await options.confirm({ records: staged.records, ...rows[0]! });
    const merge = { records: staged.records, layers, forgetUpTo: asOf ?? 'infinity' };
    if (options.check) {
      const copy = await CustomersCopy.create(client);
      await copy.loadStaged();
      return sumOf(staged, await upsert(copy.client, merge), rows[0]!.missing);
    }
    const first = await FirstImport.join(client);
    await client.query(`begin; select clientele.lock_deletes(true); ${markChecked}`);
    const newlySuppressed = await takeNewlySuppressed(client, suppressions);
    staged.suppressed += newlySuppressed;
    merge.records -= newlySuppressed;
    // Readers continue. Other writers wait, or their changes could fall between the delete and the upsert.
    await client.query('lock table public.customers in share row exclusive mode');
    const removed = (await client.query(`delete ${missing(asOf)}`, values)).rowCount ?? 0;
    const counts = await upsert(client, merge);
    await client.query('commit');
    await first?.finish(options.log);
    return sumOf(staged, counts, removed);
  } finally {
    await client.end();
  }
}

const sumOf = (staged: Staged, counts: Counts, removed: number): Replaced => {
  const { read, rejected } = staged;
  const suppressed = staged.suppressed + counts.suppressed;
  return { ...counts, read, rejected, suppressed, removed };
};

interface Staged {
  read: number;
  rejected: number;
  suppressed: number;
  /** All others. */
  records: number;
  rejectPaths: string[];
}

function checkStaged(staged: Staged, { despiteRejects }: ReplaceOptions): void {
  if (staged.rejected > 0 && !despiteRejects) {
    const { rejectPaths } = staged;
    const listed = rejectPaths.length === 0 ? '' : ` listed in ${rejectPaths.join(', ')}`;
    throw new ImportError(
      `${staged.rejected} records were rejected, so their customers would be removed. Nothing was changed. ` +
        `Fix the records${listed}, or accept this with --despite-rejects.`,
    );
  }
  if (staged.records === 0) {
    throw new ImportError(
      'The files contain no records, so all customers would be removed. Nothing was changed.',
    );
  }
}

/** More than a tenth, and more than a few: a file that was cut off looks like this. */
function checkRemovals(
  { missing: removed, customers }: Omit<ReplacePlan, 'records'>,
  { accept = nothingAccepted }: ReplaceOptions,
): void {
  if (removed <= 10 || removed <= customers / 10 || accept.has('removals')) return;
  throw refusal(
    [`${removed} of ${customers} customers are not in the files and would be removed.`],
    ['removals'],
  );
}

async function stageAll(
  client: pg.Client,
  suppressions: Suppressions,
  tables: readonly Table[],
  { batch, asOf, rejects: rejectFiles, log, onProgress }: ReplaceOptions,
): Promise<Staged> {
  const staged: Staged = { read: 0, rejected: 0, suppressed: 0, records: 0, rejectPaths: [] };
  const builder = new BatchBuilder(batch, suppressions, true);
  const namespace = await readIdNamespace(client);
  for (const [i, table] of tables.entries()) {
    logNotes(table, log);
    const rejects = rejectFiles[i]!;
    rejects.useLayout(table.rejectLayout);
    let rejectBytes = 0;
    const records = table.read(table.start, {
      namespace,
      asOf: asOf === undefined ? undefined : () => asOf,
    });
    await inBatches(records, builder, async (taken) => {
      rejectBytes = rejects.write(rejectBytes, taken.rejects);
      const { batch: kept, suppressed } = await takeSuppressed(client, suppressions, taken);
      await stage(client, kept.rows);
      staged.read += taken.read;
      staged.rejected += taken.rejected;
      staged.suppressed += suppressed;
      staged.records += kept.ends.length;
      onProgress(staged.read);
    });
    if (rejectBytes > 0) staged.rejectPaths.push(rejects.path);
    else rejects.removeStale();
    rejects.close();
    logWarnings(table, log);
  }
  return staged;
}
