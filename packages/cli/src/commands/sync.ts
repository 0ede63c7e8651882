import { describeWarning, openFeed, syncFeed, type RejectFile } from '@clientele/import';
import { readDatabaseUrl, readSecretPath } from '@clientele/directory';
import { Command } from 'commander';
import { openErasing } from '../erasure.ts';
import { createLog } from '../log.ts';
import { startProgress } from '../progress.ts';
import {
  exitWithRejects,
  openRejects,
  recordOptions,
  withReadingOptions,
  type ReadingOptions,
} from '../reading-options.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { stopSignal } from '../stop-signal.ts';
import { countsText, supersededText } from '../summary.ts';

const recordsPerCommit = 1_000;
const msPerCommit = 1_000;

interface SyncOptions extends ReadingOptions {
  follow?: boolean;
  fromStart?: boolean;
}

async function sync(path: string, options: SyncOptions): Promise<void> {
  keepHeapSmall();
  const { follow = false, fromStart, quiet, json } = options;
  const closed = new AbortController();
  // Without a reader of the commits, as after `| head`, it stops as on a signal.
  if (json) process.stdout.once('error', () => closed.abort());
  const signal = AbortSignal.any([stopSignal('SIGINT', 'SIGTERM'), closed.signal]);
  const log = createLog(quiet);
  const reading = { ...recordOptions(options), stdin: process.stdin };
  const [rejects] = (await openRejects([path], options)) as [RejectFile];
  const feed = await openFeed(path, { ...reading, follow, signal, log });
  const secretFile = readSecretPath(process.env);
  const erasing = secretFile === undefined ? undefined : await openErasing();
  const progress = startProgress({ label: 'sync', unit: 'rows', quiet });
  try {
    const tally = await syncFeed(feed, {
      databaseUrl: readDatabaseUrl(process.env),
      secretFile,
      erasing,
      batchSize: recordsPerCommit,
      everyMs: msPerCommit,
      fromStart,
      rejects,
      log,
      onCommit(now) {
        progress.update(now.read, now.rejected > 0 ? `${now.rejected} rejected` : undefined);
        if (json) process.stdout.write(`${JSON.stringify(counts(now))}\n`);
      },
      signal,
    });
    progress.stop();
    const unused = feed.unused.describe();
    if (unused !== undefined) log(`${feed.name}: ${unused}`);
    for (const each of feed.warnings.list) log(`${feed.name}: warning: ${describeWarning(each)}`);
    const { read, supersededBy, ...parts } = counts(tally);
    log(`Read ${read} records: ${countsText(parts)}.`);
    if (tally.superseded > 0) log(supersededText(supersededBy));
    if (tally.rejected > 0) {
      log(`Rejected records are in ${rejects.path}`);
      process.exitCode = exitWithRejects;
    }
  } finally {
    progress.stop();
    process.stdin.destroy(); // An open pipe would keep the process alive.
  }
}

function counts(tally: Awaited<ReturnType<typeof syncFeed>>) {
  const { read, inserted, updated, unchanged, deleted, rejected, superseded } = tally;
  const { supersededBy, suppressed } = tally;
  const counted = { read, inserted, updated, unchanged, deleted, rejected, superseded };
  return { ...counted, suppressed, supersededBy };
}

export function syncCommand(): Command {
  const command = new Command('sync')
    .description('apply a feed of changes: NDJSON from standard input or a file')
    .argument('[file]', '- is standard input', '-')
    .option('--follow', 'at the end of the file, wait for more')
    .option('--from-start', 'read the file from the start, even if it was read before');
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
