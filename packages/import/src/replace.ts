/** Replaces all customers with those in the files: stages the files, then applies them in one transaction. */
import { Suppressions } from '@clientele/directory';
import type pg from 'pg';
import { nothingAccepted, type Accepted } from './accept.ts';
import { ImportCheck } from './check-file.ts';
import { recordReplace } from './checkpoint.ts';
import { connectAsWriter } from './connect-as-writer.ts';
import type { Counts, Tally } from './counts.ts';
import { CustomersCopy } from './customers-copy.ts';
import { endOnAbort } from './end-on-abort.ts';
import { refusal } from './findings.ts';
import { FirstImport } from './first-import.ts';
import { ImportError } from './import-error.ts';
import type { RejectFile } from './reject-file.ts';
import { isDataError } from './stage-batch.ts';
import { checkStaged, stageAll, type Staged } from './stage-files.ts';
import { markChecked, takeNewlySuppressed } from './suppressed-records.ts';
import type { Table } from './table.ts';
import { assignLayers, createStaging, upsert } from './upsert.ts';

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
  /** On abort before the commit, nothing is changed, and the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
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
    throw await explainRefusal(error as pg.DatabaseError, tables, options);
  }
}

/** Nothing was changed, because one statement writes all records. Says which of them the database refuses, or why. */
async function explainRefusal(
  error: pg.DatabaseError,
  tables: readonly Table[],
  { databaseUrl, secretFile, batch: batchSize, asOf, rejects, onProgress }: ReplaceOptions,
): Promise<ImportError> {
  const session = await ImportCheck.open(databaseUrl, secretFile);
  try {
    for (const [i, table] of tables.entries()) {
      await session.check(table, {
        batchSize,
        asOf,
        rejects: rejects[i]!,
        log: () => undefined,
        onProgress: ({ read }) => onProgress(read),
      });
    }
  } finally {
    await session.close();
  }
  const { refused } = session;
  if (refused === 0) return refusedTogether(error);
  const paths = rejects.map(({ path }) => path).filter(Boolean);
  const listed = paths.length === 0 ? '' : ` They are listed in ${paths.join(', ')}.`;
  return new ImportError(
    `The database refused records: ${refused}. Nothing was changed.${listed} Correct or remove them.`,
    { cause: error },
  );
}

/** A unique index or a foreign key refuses no record by itself. The values in PostgreSQL's detail are personal data. */
function refusedTogether(error: pg.DatabaseError): ImportError {
  const { constraint, code } = error;
  const name = constraint === undefined ? `with error ${code}` : `because of ${constraint}`;
  const key = /^(\w+ \(.*?\))=\(.*\)(.*)$/s.exec(error.detail ?? '');
  const detail = key ? ` (${key[1]}${key[2]!.replace(/\.$/, '')})` : '';
  return new ImportError(
    `The database refused the change ${name}${detail}. Nothing was changed. Correct the files, or the constraint.`,
    { cause: error },
  );
}

async function replaceStaged(tables: readonly Table[], options: ReplaceOptions): Promise<Replaced> {
  const client = await connectAsWriter(options.databaseUrl);
  try {
    const { sum, first } = await endOnAbort(client, options.signal, async () => {
      const staged = await stageAndConfirm(client, tables, options);
      return options.check ? countChanges(client, staged) : applyChanges(client, staged);
    });
    if (options.check) return sum;
    // From here on, a signal comes too late.
    await client.query('commit');
    await first?.finish(options.log);
    return sum;
  } finally {
    await client.end();
  }
}

interface Plan extends ReplacePlan {
  staged: Staged;
  suppressions: Suppressions;
  asOf: string | undefined;
  layers: number;
}

async function stageAndConfirm(
  client: pg.Client,
  tables: readonly Table[],
  options: ReplaceOptions,
): Promise<Plan> {
  // The whole file is joined with the whole table, so the joins that are off for batches are useful.
  await client.query('set enable_hashjoin = on; set enable_mergejoin = on');
  await createStaging(client, true);
  const asOf = options.asOf === 'now' ? new Date().toISOString() : options.asOf;
  const suppressions = await Suppressions.open(client, options.secretFile);
  const staged = await stageAll(client, suppressions, tables, { ...options, asOf });
  checkStaged(staged, options.despiteRejects);
  await client.query('create index on pg_temp.incoming (uuid); analyze pg_temp.incoming');
  const layers = await assignLayers(client);
  const { rows } = await client.query<Omit<ReplacePlan, 'records'>>(
    `select count(*)::int as missing,
       (select count(*)::int from public.customers) as customers ${missing(asOf)}`,
    timesOf(asOf),
  );
  checkRemovals(rows[0]!, options);
  const plan = { records: staged.records, ...rows[0]! };
  await options.confirm(plan);
  return { ...plan, staged, suppressions, asOf, layers };
}

interface Applied {
  sum: Replaced;
  first?: FirstImport | undefined;
}

async function countChanges(client: pg.Client, plan: Plan): Promise<Applied> {
  const copy = await CustomersCopy.create(client);
  await copy.loadStaged();
  return { sum: sumOf(plan.staged, await merge(copy.client, plan), plan.missing) };
}

/** All but the commit. */
async function applyChanges(client: pg.Client, plan: Plan): Promise<Applied> {
  const { staged, suppressions, asOf } = plan;
  const first = await FirstImport.join(client);
  await client.query(`begin; select clientele.lock_deletes(true); ${markChecked}`);
  const newlySuppressed = await takeNewlySuppressed(client, suppressions);
  staged.suppressed += newlySuppressed;
  staged.records -= newlySuppressed;
  // Readers continue. Other writers wait, or their changes could fall between the delete and the upsert.
  await client.query('lock table public.customers in share row exclusive mode');
  const removed = (await client.query(`delete ${missing(asOf)}`, timesOf(asOf))).rowCount ?? 0;
  const sum = sumOf(staged, await merge(client, plan), removed);
  await recordReplace(client, sum);
  return { sum, first };
}

const timesOf = (asOf: string | undefined): string[] => (asOf === undefined ? [] : [asOf]);

const merge = (client: pg.Client, { staged, layers, asOf }: Plan): Promise<Counts> =>
  upsert(client, { records: staged.records, layers, forgetUpTo: asOf ?? 'infinity' });

const sumOf = (staged: Staged, counts: Counts, removed: number): Replaced => {
  const { read, rejected } = staged;
  const suppressed = staged.suppressed + counts.suppressed;
  return { ...counts, read, rejected, suppressed, removed };
};

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
