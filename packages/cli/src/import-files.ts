/** Imports files and shows the progress: for `import` and `demo`. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  addTallies,
  fingerprintOf,
  importFile,
  isIndexMissing,
  noTally,
  replaceWith,
  type Imported,
  type Replaced,
  type ReplacePlan,
} from '@clientele/import';
import { readSecretPath } from '@clientele/directory';
import { confirm } from './confirm.ts';
import { tableOptions, type ImportOptions } from './import-options.ts';
import { createLog } from './log.ts';
import { examineInputs, openInputs } from './open-inputs.ts';
import { startProgress } from './progress.ts';
import { openRejects } from './reading-options.ts';
import { countsText } from './summary.ts';

export async function importFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  signal?: AbortSignal,
): Promise<Imported | Replaced> {
  try {
    return options.replace
      ? await replaceFiles(databaseUrl, paths, options, signal)
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
  using inputs = await openInputs(paths, options, signal);
  const rejectFiles = await openRejects(paths, options);
  await examineInputs(inputs, { databaseUrl, options, log, signal });
  // An interrupted run is resumed only if the file is read with the same options.
  const { map, accept: _, ...others } = tableOptions(options);
  const identity = { ...others, map: [...map], asOf, stdin: undefined };
  const total = await totalBytes(inputs.list.map(({ path }) => path));
  let sum: Imported = { ...noTally, resumedAfter: 0 };
  let bytesBefore = 0;
  for (const [i, { given, path, table }] of inputs.list.entries()) {
    const progress = startProgress({ label: basename(table.name), total, unit: 'bytes', quiet });
    const rejects = rejectFiles[i]!;
    try {
      const imported = await importFile(table, {
        databaseUrl,
        secretFile: readSecretPath(process.env),
        batchSize: options.batch,
        asOf,
        fingerprint: given === '-' ? undefined : await fingerprintOf(path, identity),
        fromStart,
        moreFollows: i < paths.length - 1,
        rejects,
        log,
        onProgress({ rejected }) {
          progress.update(
            bytesBefore + table.bytesRead(),
            rejected > 0 ? `${rejected} rejected` : undefined,
          );
        },
        signal,
      });
      const resumedAfter = sum.resumedAfter + imported.resumedAfter;
      sum = { ...addTallies(sum, imported), resumedAfter };
      if (imported.rejected > 0)
        log(`${table.name}: rejected records are in ${rejects.path}. ${toCorrect}`);
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

const toCorrect = 'Correct them there, and import that file with the same options.';

function describeImported(paths: string[], { read, ...sum }: Imported): string {
  const { inserted, updated, unchanged, rejected, superseded, suppressed } = sum;
  const counts = countsText({ inserted, updated, unchanged, rejected, superseded, suppressed });
  return `${paths.join(', ')}: imported. Read ${read} records: ${counts}.`;
}

async function replaceFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  signal: AbortSignal | undefined,
): Promise<Replaced> {
  const { quiet, asOf, batch, accept, despiteRejects, yes } = options;
  const log = createLog(quiet);
  const rejects = await openRejects(paths, options);
  using inputs = await openInputs(paths, options, signal);
  await examineInputs(inputs, { databaseUrl, options, log, signal });
  const progress = startProgress({ label: 'Staging', unit: 'rows', quiet });
  try {
    return await replaceWith(inputs.tables, {
      databaseUrl,
      secretFile: readSecretPath(process.env),
      asOf,
      batch,
      accept,
      despiteRejects,
      rejects,
      log,
      onProgress: (read) => progress.update(read),
      async confirm(plan) {
        progress.stop();
        log(describePlan(plan));
        if (!yes) await confirm({ signal });
      },
      signal,
    });
  } finally {
    progress.stop();
  }
}

const describePlan = ({ records, customers, missing }: ReplacePlan): string =>
  `${records} records will replace ${customers} customers; ${missing} of these are not in the files and will be removed.`;

async function totalBytes(paths: string[]): Promise<number> {
  let sum = 0;
  for (const path of paths) {
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    sum += size;
  }
  return sum;
}
