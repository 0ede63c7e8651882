import { checkEncoding, moment, openTable, previewTable } from '@clientele/import';
import { readDatabaseUrl } from '@clientele/server';
import { Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../explain.ts';
import { importFiles, tableOptions, type ImportOptions } from '../import-files.ts';
import { exitWithRejects, withReadingOptions } from '../reading-options.ts';
import { keepHeapSmall } from '../small-heap.ts';

async function runImport(paths: string[], options: ImportOptions): Promise<void> {
  keepHeapSmall();
  if (paths.filter((path) => path === '-').length > 1) {
    throw new CommandError('Standard input (-) can be read only once.');
  }
  if (options.dryRun) {
    for (const path of paths) {
      await previewTable(await openTable(path, tableOptions(options)), options, process);
    }
    return;
  }
  const started = performance.now();
  const sum = await importFiles(readDatabaseUrl(process.env), paths, options);
  report(sum, started, options);
}

type Summary = Awaited<ReturnType<typeof importFiles>>;

function report(sum: Summary, started: number, { quiet, json, asOf }: ImportOptions): void {
  const seconds = Number(((performance.now() - started) / 1_000).toFixed(1));
  const { deleted: _, ...counts } = sum;
  if (json) process.stdout.write(`${JSON.stringify({ ...counts, seconds })}\n`);
  if (!quiet) {
    const {
      read,
      removed,
      resumedAfter: _before,
      ...parts
    } = {
      removed: undefined,
      resumedAfter: undefined,
      ...counts,
    };
    const words = Object.entries(parts).map(([name, count]) => `${count} ${name}`);
    const gone = removed === undefined ? '' : ` ${removed} removed.`;
    process.stderr.write(`Read ${read}: ${words.join(', ')}.${gone} ${seconds} s.\n`);
    if (sum.superseded > 0 && asOf === undefined) {
      process.stderr.write(
        'Superseded records repeat a customer, are older than the directory, or have no time where ' +
          'the directory has one: see --as-of\n',
      );
    }
  }
  if (sum.rejected > 0) process.exitCode = exitWithRejects;
}

const delimiterNames: Record<string, string> = { tab: '\t', comma: ',', semicolon: ';', pipe: '|' };

function readDelimiter(word: string): string {
  const sign = delimiterNames[word] ?? word.replace('\\t', '\t');
  if (!/^[^\w\s"]$|^\t$/.test(sign) || sign.charCodeAt(0) > 126) {
    throw new InvalidArgumentError('It must be one character, such as ";", or the word tab.');
  }
  return sign;
}

function readAsOf(word: string): string {
  if (word === 'now') return word;
  const read = moment(word, undefined);
  if (typeof read !== 'string') throw new InvalidArgumentError('It must be a date, or now.');
  return read;
}

function readBatch(word: string): number {
  const value = Number(word);
  if (!/^\d{1,6}$/.test(word) || value < 1 || value > 100_000) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 100000.');
  }
  return value;
}

/** What follows `clientele import` on a command line. */
export interface ImportArguments {
  paths: string[];
  options: ImportOptions;
}

/** Reads the arguments of `import`, for a command that imports as part of something else. */
export function readImportArguments(words: string[]): ImportArguments {
  let read: ImportArguments | undefined;
  importCommand((paths, options) => void (read = { paths, options }))
    .exitOverride()
    .parse(words, { from: 'user' });
  return read!;
}

export function importCommand(
  run: (paths: string[], options: ImportOptions) => void | Promise<void> = runImport,
): Command {
  const command = new Command('import')
    .description('import customers from CSV or NDJSON, plain or compressed; - is standard input')
    .argument('<file...>')
    .option('--dry-run', 'show how the first records would be imported, and write nothing');
  return withReadingOptions(command)
    .option('--delimiter <sign>', 'detected by default', readDelimiter)
    .option('--columns <names>', 'the header, for a file without one', (word) => word.split(','))
    .option('--encoding <name>', 'if not UTF-8: windows-1252, …', checkEncoding)
    .option('--as-of <date>', 'the date of records without one of their own; or now', readAsOf)
    .option('--replace', 'make the files the whole directory: remove customers not in them')
    .option('--yes', 'with --replace: do not ask')
    .option(
      '--despite-rejects',
      'with --replace: also remove customers whose records were rejected',
    )
    .option('--batch <n>', 'records per transaction', readBatch, 4_000)
    .addHelpText('after', '\nExit code 3: done, but some records were rejected.')
    .action(run);
}
