/** Imports files in this process, with progress on standard error: for `import` and `demo`. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import {
  fingerprintOf,
  importFile,
  openTable,
  replaceWith,
  type Imported,
  type Replaced,
  type ReplacePlan,
  type TableOptions,
} from '@clientele/import';
import { CommandError } from './explain.ts';
import { startProgress } from './progress.ts';
import { openRejects, type ReadingOptions } from './reading-options.ts';

export interface ImportOptions extends ReadingOptions {
  delimiter?: string;
  columns?: string[];
  encoding?: string;
  asOf?: string;
  batch: number;
  dryRun?: boolean;
  replace?: boolean;
  yes?: boolean;
  despiteRejects?: boolean;
}

export function tableOptions(options: ImportOptions): TableOptions {
  const { map, idColumn, dates, delimiter, columns, encoding, rejectValues } = options;
  const reading = { map, idColumn, dates, delimiter, columns, encoding, rejectValues };
  return { ...reading, stdin: process.stdin, deletes: false };
}

export function importFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  signal?: AbortSignal,
): Promise<Imported | Replaced> {
  const say = (line: string): void => {
    if (!options.quiet) process.stderr.write(`${line}\n`);
  };
  return options.replace
    ? replaceFiles(databaseUrl, paths, options, say)
    : importEach(databaseUrl, paths, options, say, signal);
}

async function importEach(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  say: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<Imported> {
  const settings = tableOptions(options);
  const total = await totalBytes(paths);
  const sum: Imported = emptySum();
  let bytesBefore = 0;
  for (const path of paths) {
    const table = await openTable(path, settings);
    if (table.ignored.length > 0) say(`${table.name}: not used: ${table.ignored.join(', ')}`);
    const progress = startProgress({
      label: basename(table.name),
      ...(total === undefined ? { unit: 'rows' } : { unit: 'bytes', total }),
      quiet: options.quiet === true,
      stream: process.stderr,
    });
    const rejects = openRejects(path, options);
    const { map, ...others } = settings;
    const how = { ...others, map: [...map], asOf: options.asOf, stdin: undefined };
    try {
      const imported = await importFile(table, {
        databaseUrl,
        batchSize: options.batch,
        asOf: options.asOf,
        fingerprint: path === '-' ? undefined : await fingerprintOf(path, how),
        rejects,
        say,
        onProgress({ read, rejected }) {
          const done = total === undefined ? read : bytesBefore + table.bytesRead();
          progress.update(done, rejected > 0 ? `${rejected} rejected` : undefined);
        },
        signal,
      });
      for (const key of Object.keys(sum) as (keyof Imported)[]) sum[key] += imported[key];
      if (imported.rejected > 0)
        say(`${table.name}: rejected records are listed in ${rejects.path}`);
    } finally {
      progress.stop();
    }
    bytesBefore += table.bytesRead();
  }
  return sum;
}

async function replaceFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  say: (line: string) => void,
): Promise<Replaced> {
  const progress = startProgress({
    label: 'staging',
    unit: 'rows',
    quiet: options.quiet === true,
    stream: process.stderr,
  });
  try {
    return await replaceWith(paths, tableOptions(options), {
      databaseUrl,
      asOf: options.asOf,
      batch: options.batch,
      despiteRejects: options.despiteRejects,
      rejectFile: (path) => openRejects(path, options),
      say,
      onProgress: (read) => progress.update(read),
      async confirm(plan) {
        progress.stop();
        say(inWords(plan));
        if (!options.yes) await confirm();
      },
    });
  } finally {
    progress.stop();
  }
}

const inWords = ({ records, customers, missing }: ReplacePlan): string =>
  `${records} records are to replace ${customers} customers; ${missing} of those are not among them and will be removed.`;

async function confirm(): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new CommandError(
      'Confirm this with --yes: there is no terminal to ask on. Nothing was changed.',
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Continue? Type yes: ');
  prompt.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('Nothing was changed.');
}

/** Unknown where one of them is a pipe. */
async function totalBytes(paths: string[]): Promise<number | undefined> {
  let sum = 0;
  for (const path of paths) {
    if (path === '-') return undefined;
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    sum += size;
  }
  return sum;
}

const emptySum = (): Imported => ({
  read: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  rejected: 0,
  superseded: 0,
  resumedAfter: 0,
});
