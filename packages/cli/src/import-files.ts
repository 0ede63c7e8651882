/** Imports files and shows the progress: for `import` and `demo`. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  addTallies,
  fingerprintOf,
  importFile,
  isIndexMissing,
  noTally,
  openTable,
  replaceWith,
  type Imported,
  type Replaced,
  type ReplacePlan,
  type Table,
  type TableOptions,
} from '@clientele/import';
import { readSecretPath } from '@clientele/server';
import { confirm } from './confirm.ts';
import { createLog } from './log.ts';
import { startProgress } from './progress.ts';
import { openRejects, recordOptions, type ReadingOptions } from './reading-options.ts';
import { countsText } from './summary.ts';

export interface ImportOptions extends ReadingOptions {
  delimiter?: string;
  columns?: string[];
  encoding?: string;
  asOf?: string;
  batch: number;
  dryRun?: boolean;
  check?: boolean;
  fromStart?: boolean;
  replace?: boolean;
  yes?: boolean;
  despiteRejects?: boolean;
}

export function tableOptions(options: ImportOptions): TableOptions {
  const { delimiter, columns, encoding } = options;
  const reading = { ...recordOptions(options), delimiter, columns, encoding };
  return { ...reading, stdin: process.stdin, deletes: false };
}

export async function importFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  signal?: AbortSignal,
): Promise<Imported | Replaced> {
  try {
    return options.replace
      ? await replaceFiles(databaseUrl, paths, options)
      : await importEach(databaseUrl, paths, options, signal);
  } catch (error) {
    if (await isIndexMissing(databaseUrl)) createLog(options.quiet)(searchesAreSlow);
    throw error;
  }
}

const searchesAreSlow =
  'The search index is not built yet, so searches are slow. Import again, or run: clientele migrate';

async function importEach(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  signal: AbortSignal | undefined,
): Promise<Imported> {
  const { quiet, asOf, fromStart } = options;
  const log = createLog(quiet);
  const settings = tableOptions(options);
  // A header that does not match stops the command before the first record.
  const tables = new Map<string, Table>();
  for (const path of paths) if (path !== '-') tables.set(path, await openTable(path, settings));
  const rejectFiles = await openRejects(paths, options);
  const total = await totalBytes(paths);
  let sum: Imported = { ...noTally, resumedAfter: 0 };
  let bytesBefore = 0;
  for (const [i, path] of paths.entries()) {
    const table = tables.get(path) ?? (await openTable(path, settings));
    const unit = total === undefined ? 'rows' : 'bytes';
    const progress = startProgress({ label: basename(table.name), total, unit, quiet });
    const rejects = rejectFiles[i]!;
    // An interrupted run is resumed only if the file is read with the same options.
    const { map, ...others } = settings;
    const identity = { ...others, map: [...map], asOf, stdin: undefined };
    try {
      const imported = await importFile(table, {
        databaseUrl,
        secretFile: readSecretPath(process.env),
        batchSize: options.batch,
        asOf,
        fingerprint: path === '-' ? undefined : await fingerprintOf(path, identity),
        fromStart,
        moreFollows: i < paths.length - 1,
        rejects,
        log,
        onProgress({ read, rejected }) {
          const done = total === undefined ? read : bytesBefore + table.bytesRead();
          progress.update(done, rejected > 0 ? `${rejected} rejected` : undefined);
        },
        signal,
      });
      const resumedAfter = sum.resumedAfter + imported.resumedAfter;
      sum = { ...addTallies(sum, imported), resumedAfter };
      if (imported.rejected > 0)
        log(`${table.name}: rejected records are listed in ${rejects.path}`);
    } catch (error) {
      progress.stop();
      if (i > 0) log(describeImported(paths.slice(0, i), sum));
      throw error;
    } finally {
      progress.stop();
    }
    bytesBefore += table.bytesRead();
  }
  return sum;
}

function describeImported(paths: string[], { read, ...sum }: Imported): string {
  const { inserted, updated, unchanged, rejected, superseded, suppressed } = sum;
  const counts = countsText({ inserted, updated, unchanged, rejected, superseded, suppressed });
  return `${paths.join(', ')}: imported. Read ${read} records: ${counts}.`;
}

async function replaceFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
): Promise<Replaced> {
  const { quiet, asOf, batch, despiteRejects, yes } = options;
  const log = createLog(quiet);
  const rejects = await openRejects(paths, options);
  const progress = startProgress({ label: 'Staging', unit: 'rows', quiet });
  try {
    return await replaceWith(paths, tableOptions(options), {
      databaseUrl,
      secretFile: readSecretPath(process.env),
      asOf,
      batch,
      despiteRejects,
      rejects,
      log,
      onProgress: (read) => progress.update(read),
      async confirm(plan) {
        progress.stop();
        log(describePlan(plan));
        if (!yes) await confirm();
      },
    });
  } finally {
    progress.stop();
  }
}

const describePlan = ({ records, customers, missing }: ReplacePlan): string =>
  `${records} records will replace ${customers} customers; ${missing} of these are not in the files and will be removed.`;

/** Unknown if one of them is standard input. */
async function totalBytes(paths: string[]): Promise<number | undefined> {
  let sum = 0;
  for (const path of paths) {
    if (path === '-') return undefined;
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    sum += size;
  }
  return sum;
}
