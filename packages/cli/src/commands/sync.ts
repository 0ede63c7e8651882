import { openFeed, syncFeed } from '@clientele/import';
import { readDatabaseUrl } from '@clientele/server';
import { Command } from 'commander';
import { createLog } from '../log.ts';
import { startProgress } from '../progress.ts';
import {
  exitWithRejects,
  openRejects,
  withReadingOptions,
  type ReadingOptions,
} from '../reading-options.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { stopSignal } from '../stop-signal.ts';
import { countsText } from '../summary.ts';

const recordsPerCommit = 1_000;
const msPerCommit = 1_000;

interface SyncOptions extends ReadingOptions {
  follow?: boolean;
}

async function sync(path: string, options: SyncOptions): Promise<void> {
  keepHeapSmall();
  const { map, idColumn, dates, rejectValues, follow = false, quiet, json } = options;
  const signal = stopSignal('SIGINT', 'SIGTERM');
  const log = createLog(quiet);
  const reading = { map, idColumn, dates, rejectValues, stdin: process.stdin };
  const feed = await openFeed(path, { ...reading, follow, signal });
  const progress = startProgress({ label: 'sync', unit: 'rows', quiet });
  const rejects = openRejects(path, options);
  try {
    const tally = await syncFeed(feed, {
      databaseUrl: readDatabaseUrl(process.env),
      batchSize: recordsPerCommit,
      everyMs: msPerCommit,
      fingerprint: feed.fingerprint,
      rejects,
      log,
      onCommit(now) {
        progress.update(now.read, now.rejected > 0 ? `${now.rejected} rejected` : undefined);
        if (json) process.stdout.write(`${JSON.stringify(counts(now))}\n`);
      },
      signal,
    });
    progress.stop();
    const { read, ...parts } = counts(tally);
    log(`Read ${read} records: ${countsText(parts)}.`);
    if (tally.rejected > 0) {
      log(`Rejected records are listed in ${rejects.path}`);
      process.exitCode = exitWithRejects;
    }
  } finally {
    progress.stop();
    process.stdin.destroy(); // An open pipe would keep the process alive.
  }
}

function counts(tally: Awaited<ReturnType<typeof syncFeed>>) {
  const { read, inserted, updated, unchanged, deleted, rejected, superseded } = tally;
  return { read, inserted, updated, unchanged, deleted, rejected, superseded };
}

export function syncCommand(): Command {
  const command = new Command('sync')
    .description('apply a feed of changes: NDJSON from standard input or a file')
    .argument('[file]', '- is standard input', '-')
    .option('--follow', 'at the end of the file, wait for more');
  return withReadingOptions(command)
    .addHelpText(
      'after',
      `
Each line is a customer, {"op":"delete","uuid":…} or {"op":"erase","uuid":…}.
Commits after one second or 1,000 records, whichever comes first. With --json, prints one line per
commit with the number of records committed so far.
Exit code 3: the feed ended, but some records were rejected.`,
    )
    .action(sync);
}
