import { Command } from 'commander';
import { openFeed, syncFeed } from '@clientele/import';
import { readDatabaseUrl } from '@clientele/server';
import { startProgress } from '../progress.ts';
import { keepHeapSmall } from '../small-heap.ts';
import {
  exitWithRejects,
  openRejects,
  withReadingOptions,
  type ReadingOptions,
} from '../reading-options.ts';

const recordsPerCommit = 1_000;
const msPerCommit = 1_000;

interface SyncOptions extends ReadingOptions {
  follow?: boolean;
}

async function sync(path: string, options: SyncOptions): Promise<void> {
  keepHeapSmall();
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const feed = await openFeed(path, {
    map: options.map,
    idColumn: options.idColumn,
    dates: options.dates,
    rejectValues: options.rejectValues,
    stdin: process.stdin,
    follow: options.follow === true,
    signal: stopping.signal,
  });
  const say = (line: string): void => {
    if (!options.quiet) process.stderr.write(`${line}\n`);
  };
  const progress = startProgress({
    label: 'sync',
    unit: 'rows',
    quiet: options.quiet === true,
    stream: process.stderr,
  });
  const rejects = openRejects(path, options);
  try {
    const tally = await syncFeed(feed, {
      databaseUrl: readDatabaseUrl(process.env),
      batchSize: recordsPerCommit,
      everyMs: msPerCommit,
      fingerprint: feed.fingerprint,
      rejects,
      say,
      onCommit(now) {
        progress.update(now.read, now.rejected > 0 ? `${now.rejected} rejected` : undefined);
        if (options.json) process.stdout.write(`${JSON.stringify(counts(now))}\n`);
      },
      signal: stopping.signal,
    });
    progress.stop();
    const { read, ...parts } = counts(tally);
    const words = Object.entries(parts).map(([name, count]) => `${count} ${name}`);
    say(`Read ${read}: ${words.join(', ')}.`);
    if (tally.rejected > 0) {
      say(`Rejected records are listed in ${rejects.path}`);
      process.exitCode = exitWithRejects;
    }
  } finally {
    progress.stop();
    process.stdin.destroy(); // It would keep the process waiting for more.
  }
}

function counts(tally: Parameters<Parameters<typeof syncFeed>[1]['onCommit']>[0]) {
  const { read, inserted, updated, unchanged, deleted, rejected, superseded } = tally;
  return { read, inserted, updated, unchanged, deleted, rejected, superseded };
}

export function syncCommand(): Command {
  const command = new Command('sync')
    .description('keep up with a feed of changes: NDJSON from standard input or a file')
    .argument('[file]', '- is standard input', '-')
    .option('--follow', 'wait for more at the end of the file');
  return withReadingOptions(command)
    .addHelpText(
      'after',
      `
Each line is a customer, or {"op":"delete","uuid":…}, or {"op":"erase","uuid":…}.
Committed after a second or a thousand records; with --json, a line after each commit says how
many records are safe. Exit code 3: done, but some records were rejected.`,
    )
    .action(sync);
}
