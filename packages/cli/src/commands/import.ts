import { basename } from 'node:path';
import { stat } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../explain.ts';
import { moment, type DateOrder } from '../import/dates.ts';
import { fieldNames, type Field } from '../import/fields.ts';
import { importFile, type Imported } from '../import/import-file.ts';
import { nearest } from '../import/match-fields.ts';
import { previewTable } from '../import/preview.ts';
import { RejectFile } from '../import/reject-file.ts';
import { replaceWith } from '../import/replace.ts';
import { checkEncoding } from '../import/source.ts';
import { fingerprintOf, openTable, type TableOptions } from '../import/table.ts';
import { startProgress } from '../progress.ts';
import { keepHeapSmall } from '../small-heap.ts';

export interface ReadingOptions {
  map: ReadonlyMap<string, Field>;
  idColumn?: string;
  dates?: DateOrder;
  rejects?: string;
  rejectValues?: boolean;
  quiet?: boolean;
  json?: boolean;
}

interface ImportOptions extends ReadingOptions {
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

const withRejects = 3;

async function importFiles(paths: string[], options: ImportOptions): Promise<void> {
  keepHeapSmall();
  if (paths.filter((path) => path === '-').length > 1) {
    throw new CommandError('Standard input (-) can be read only once.');
  }
  const settings: TableOptions = {
    map: options.map,
    idColumn: options.idColumn,
    dates: options.dates,
    delimiter: options.delimiter,
    columns: options.columns,
    encoding: options.encoding,
    stdin: process.stdin,
    deletes: false,
    rejectValues: options.rejectValues,
  };
  if (options.dryRun) {
    for (const path of paths) await previewTable(await openTable(path, settings), options, process);
    return;
  }
  const started = performance.now();
  const say = (line: string): void => {
    if (!options.quiet) process.stderr.write(`${line}\n`);
  };
  if (options.replace) {
    const replaced = await replaceWith(paths, settings, {
      ...options,
      rejectFile: (path) => rejectFile(path, options),
      say,
    });
    report(replaced, started, options);
    return;
  }
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
    const { map, ...others } = settings;
    const how = { ...others, map: [...map], asOf: options.asOf, stdin: undefined };
    try {
      const imported = await importFile(table, {
        batchSize: options.batch,
        asOf: options.asOf,
        fingerprint: path === '-' ? undefined : await fingerprintOf(path, how),
        rejects: rejectFile(path, options),
        say,
        onProgress({ read, rejected }) {
          const done = total === undefined ? read : bytesBefore + table.bytesRead();
          progress.update(done, rejected > 0 ? `${rejected} rejected` : undefined);
        },
      });
      for (const key of Object.keys(sum) as (keyof Imported)[]) sum[key] += imported[key];
      if (imported.rejected > 0)
        say(`${table.name}: rejects are told in ${rejectPath(path, options)}`);
    } finally {
      progress.stop();
    }
    bytesBefore += table.bytesRead();
  }
  report(sum, started, options);
}

export function rejectPath(path: string, { rejects }: { rejects?: string }): string {
  return rejects ?? `${path === '-' ? 'stdin' : basename(path)}.rejects.csv`;
}

function rejectFile(path: string, options: ImportOptions): RejectFile {
  return new RejectFile(rejectPath(path, options), options.rejectValues === true);
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

function report(
  sum: Partial<Imported> & { read: number; rejected: number; superseded: number; removed?: number },
  started: number,
  { quiet, json, asOf }: ImportOptions,
): void {
  const seconds = Number(((performance.now() - started) / 1_000).toFixed(1));
  const { deleted: _, ...counts } = sum;
  if (json) process.stdout.write(`${JSON.stringify({ ...counts, seconds })}\n`);
  if (!quiet) {
    const { read, resumedAfter: _before, removed, ...parts } = counts;
    const words = Object.entries(parts).map(([name, count]) => `${count} ${name}`);
    const gone = removed === undefined ? '' : ` ${removed} removed.`;
    process.stderr.write(`Read ${read}: ${words.join(', ')}.${gone} ${seconds} s.\n`);
    if (sum.superseded > 0 && asOf === undefined) {
      process.stderr.write(
        'Superseded records repeat a customer, or are older than what is there, or do not say when ' +
          'they are from: --as-of\n',
      );
    }
  }
  if (sum.rejected > 0) process.exitCode = withRejects;
}

/** `--map theirs=ours`, as often as needed. */
export function readMap(word: string, before: ReadonlyMap<string, Field>): Map<string, Field> {
  const cut = word.lastIndexOf('=');
  const [theirs, ours] = [word.slice(0, cut), word.slice(cut + 1)];
  if (cut < 1) throw new InvalidArgumentError('It must be THEIRS=OURS.');
  const field = fieldNames.find((name) => name === ours);
  if (!field) {
    const near = nearest(ours, fieldNames);
    const remedy = near ? `Did you mean ${near}?` : `There are ${fieldNames.join(', ')}.`;
    throw new InvalidArgumentError(`There is no field ${ours}. ${remedy}`);
  }
  return new Map([...before, [theirs, field]]);
}

const delimiterNames: Record<string, string> = { tab: '\t', comma: ',', semicolon: ';', pipe: '|' };

function readDelimiter(word: string): string {
  const sign = delimiterNames[word] ?? word.replace('\\t', '\t');
  if (!/^[^\w\s"]$|^\t$/.test(sign) || sign.charCodeAt(0) > 126) {
    throw new InvalidArgumentError('It must be one sign, such as ";", or the word tab.');
  }
  return sign;
}

function readAsOf(word: string): string {
  if (word === 'now') return word;
  const read = moment(word, undefined);
  if (typeof read !== 'string') throw new InvalidArgumentError('It must be a date, or now.');
  return read;
}

export function readBatch(word: string): number {
  const value = Number(word);
  if (!/^\d{1,6}$/.test(word) || value < 1 || value > 100_000) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 100000.');
  }
  return value;
}

/** What `import` and `sync` share. */
export function withReadingOptions(command: Command): Command {
  return command
    .option('--map <theirs=ours>', 'which field a column is; repeat as needed', readMap, new Map())
    .option('--id-column <name>', 'derive identifiers from this column; for data without UUIDs')
    .addOption(new Option('--dates <order>', 'how 03/04/2026 is meant').choices(['dmy', 'mdy']))
    .option('--rejects <file>', 'where rejected records are told (FILE.rejects.csv)')
    .option('--reject-values', 'tell the rejected values too; they are personal data')
    .option('--quiet', 'no progress, no summary')
    .option('--json', 'a summary for machines on standard output');
}

export function importCommand(): Command {
  const command = new Command('import')
    .description('import customers from CSV or NDJSON, plain or compressed; - is standard input')
    .argument('<file...>')
    .option('--dry-run', 'show how the first records would land, and write nothing');
  return withReadingOptions(command)
    .option('--delimiter <sign>', 'found out by itself', readDelimiter)
    .option('--columns <names>', 'the header, for a file that has none', (word) => word.split(','))
    .option('--encoding <name>', 'when it is not UTF-8: windows-1252, …', checkEncoding)
    .option('--as-of <date>', 'when the records are from, unless they say; or now', readAsOf)
    .option('--replace', 'make the files the whole truth: remove who is not in them')
    .option('--yes', 'with --replace: do not ask')
    .option('--despite-rejects', 'with --replace: remove who is in rejected records too')
    .option('--batch <n>', 'records in a transaction', readBatch, 4_000)
    .addHelpText('after', '\nExit code 3: done, but some records were rejected.')
    .action(importFiles);
}
