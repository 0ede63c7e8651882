import { openFeed, RejectFile, syncFeed } from '@clientele/import';
import type { FeedOptions } from '../../src/feed.ts';

type Synced = Awaited<ReturnType<typeof syncFeed>>;

export interface SyncHereOptions extends Partial<FeedOptions> {
  batchSize?: number;
  rejects: string;
  secretFile?: string;
  fromStart?: boolean;
  onCommit?: (tally: Synced) => void;
}

/** Applies a feed in this process, and ends at the end of the file. */
export async function syncHere(
  databaseUrl: string,
  path: string,
  options: SyncHereOptions,
): Promise<Synced> {
  const {
    batchSize = 1_000,
    rejects,
    fromStart,
    secretFile,
    onCommit = () => undefined,
    ...reading
  } = options;
  const signal = new AbortController().signal;
  const log = (): void => undefined;
  const feed = await openFeed(path, {
    map: new Map(),
    stdin: process.stdin,
    follow: false,
    signal,
    log,
    ...reading,
  });
  return syncFeed(feed, {
    databaseUrl,
    secretFile,
    batchSize,
    everyMs: 60_000,
    fromStart,
    rejects: new RejectFile(rejects),
    log: reading.log ?? log,
    onCommit,
    signal,
  });
}
