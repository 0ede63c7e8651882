import { checkEncoding, isFarAhead, openTable, parseDate, previewTable } from '@clientele/import';
import { readDatabaseUrl } from '@clientele/directory';
import { Command, InvalidArgumentError, Option } from 'commander';
import { checkFiles } from '../check-files.ts';
import { CommandError } from '../explain.ts';
import { importFiles } from '../import-files.ts';
import { tableOptions, type ImportOptions } from '../import-options.ts';
import { createLog } from '../log.ts';
import { exitWithRejects, withReadingOptions } from '../reading-options.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { stopSignal } from '../stop-signal.ts';
import { countsText, secondsSince, supersededText } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';
import { visibleLines } from '../visible.ts';

async function runImport(paths: string[], options: ImportOptions): Promise<void> {
  keepHeapSmall();
  if (paths.filter((path) => path === '-').length > 1) {
    throw new CommandError('Standard input (-) can be given only once.');
  }
  if (options.dryRun) return preview(paths, options);
  const started = performance.now();
  const signal = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
  const work = options.check ? checkFiles : importFiles;
  const sum = await work(readDatabaseUrl(process.env), paths, options, signal).catch(
    (error: unknown) => {
      throw (error as Error).name === 'AbortError' ? new CommandError(stopped(options)) : error;
    },
  );
  if (!options.check) printSummary(sum, secondsSince(started), options);
  if (sum.rejected > 0) process.exitCode = exitWithRejects;
}

function stopped({ check, replace }: ImportOptions): string {
  if (check) return 'The check was stopped.';
  return replace
    ? 'The import was stopped. Nothing was changed.'
    : 'The import was stopped. Run the same command again to continue.';
}

async function preview(paths: string[], options: ImportOptions): Promise<void> {
  for (const path of paths) {
    const table = await openTable(path, tableOptions(options));
    const { json = false, asOf } = options;
    for await (const line of previewTable(table, { json, asOf })) {
      process.stdout.write(`${visibleLines(line)}\n`);
    }
  }
}

type Sum = Awaited<ReturnType<typeof importFiles | typeof checkFiles>>;

function printSummary(sum: Sum, seconds: number, { quiet, json, asOf }: ImportOptions): void {
  const log = createLog(quiet);
  const { deleted: _, ...counts } = sum;
  if (json) process.stdout.write(`${JSON.stringify({ ...counts, seconds })}\n`);
  const { read, inserted, updated, unchanged, rejected, superseded, suppressed } = sum;
  const parts = countsText({ inserted, updated, unchanged, rejected, superseded, suppressed });
  log(`Read ${read} records in ${seconds} s: ${parts}.`);
  if ('removed' in sum) log(`Removed ${sum.removed} customers that were not in the files.`);
  if (superseded > 0) log(supersededText(sum.supersededBy));
  if (sum.supersededBy.undated > 0 && asOf === undefined) {
    log('If the files are newer than the directory, add --as-of.');
  }
}

const delimiters: Record<string, string> = { tab: '\t', comma: ',', semicolon: ';', pipe: '|' };

function parseDelimiter(text: string): string {
  const delimiter = delimiters[text] ?? text.replace('\\t', '\t');
  if (!/^[^\w\s"]$|^\t$/.test(delimiter) || delimiter.charCodeAt(0) > 126) {
    throw new InvalidArgumentError('It must be one character, such as ";", or tab.');
  }
  return delimiter;
}

function parseAsOf(text: string): string {
  if (text === 'now') return text;
  const date = parseDate(text);
  if (typeof date !== 'string') throw new InvalidArgumentError('It must be a date, or now.');
  if (isFarAhead(date)) {
    throw new InvalidArgumentError(
      'It is in the future, so until then nothing could change these customers.',
    );
  }
  return date;
}

interface ImportArguments {
  paths: string[];
  options: ImportOptions;
}

/** Parses the arguments of `import`, for commands that import as part of something else. */
export function parseImportArguments(args: string[]): ImportArguments {
  let parsed: ImportArguments | undefined;
  importCommand((paths, options) => void (parsed = { paths, options }))
    .exitOverride()
    .parse(args, { from: 'user' });
  return parsed!;
}

export function importCommand(
  run: (paths: string[], options: ImportOptions) => void | Promise<void> = runImport,
): Command {
  const command = new Command('import')
    .description('import customers from CSV or NDJSON files, plain or compressed')
    .argument('<file...>', 'files to import; - is standard input')
    .option('--dry-run', 'show how the first records would be imported, and write nothing')
    .addOption(
      new Option(
        '--check',
        'read everything, report what would change, and write nothing',
      ).conflicts('dryRun'),
    );
  return withReadingOptions(command)
    .option('--delimiter <character>', 'delimiter of CSV (default: detected)', parseDelimiter)
    .option('--columns <names>', 'column names, for CSV without a header', (text) =>
      text.split(','),
    )
    .option('--encoding <name>', 'encoding, if not UTF-8 or UTF-16: windows-1252, …', checkEncoding)
    .option('--as-of <date>', 'date of records without updated_at, or now', parseAsOf)
    .option('--from-start', 'import the whole file, even if an interrupted import could be resumed')
    .option('--replace', 'replace all customers: remove those that are not in the files')
    .option('--yes', 'with --replace: do not ask for confirmation')
    .option(
      '--despite-rejects',
      'with --replace: also remove customers whose records were rejected',
    )
    .option('--batch <n>', 'records per transaction', wholeNumber(1, 100_000), 4_000)
    .addHelpText('after', '\nExit code 3: the import completed, but some records were rejected.')
    .action(run);
}
