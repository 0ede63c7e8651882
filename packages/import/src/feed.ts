/** NDJSON from standard input, or from a file that another process appends to. */
import { createHash } from 'node:crypto';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { RowParser, type RowOptions } from './customer-row.ts';
import { ImportError } from './import-error.ts';
import { checkInput } from './inputs.ts';
import type { MatchOptions } from './match-fields.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { keyMatcher } from './match-keys.ts';
import { UnusedKeys } from './unused-keys.ts';
import { Prefix } from './prefix.ts';
import { isGzip, isZstd } from './source.ts';
import type { Records } from './table.ts';
import { Warnings } from './warnings.ts';

export interface FeedOptions extends MatchOptions, RowOptions {
  stdin: Readable;
  /** At the end of the file, wait for more. */
  follow: boolean;
  signal: AbortSignal;
  log: (line: string) => void;
}

export interface Feed extends Records {
  /** Undefined for standard input, which cannot be resumed. */
  fingerprint: string | undefined;
  prefix: Prefix | undefined;
  /** Values read so far that may mean something else. */
  warnings: Warnings;
  /** Keys read so far that are not used, and in how many records. */
  unused: UnusedKeys;
}

const pollMs = 250;
/** A writer may still append to a file that was renamed, until it opens the new one. */
const rotationMs = 5_000;

export async function openFeed(path: string, options: FeedOptions): Promise<Feed> {
  const match = keyMatcher(options);
  const unused = new UnusedKeys();
  const file = path === '-' ? undefined : await openFile(path);
  const name = file ? path : 'standard input';
  const prefix = file && new Prefix(file);
  const warnings = new Warnings();
  return {
    name,
    start: { byte: 0, line: 1 },
    fingerprint: file && (await identify(file, options)),
    prefix,
    warnings,
    unused,
    async *read(from, given) {
      const parser = new RowParser({ ...options, ...given, warnings, deletes: true });
      const reader = new NdjsonReader(from);
      const parse = (chunk: Buffer, last: boolean) =>
        Array.from(reader.read(chunk, last), (record) => {
          const matches = match(record);
          unused.add(matches.ignored);
          return { record, result: parser.parse(record, matches) };
        });
      const chunks = file ? readAppended(file, path, from.byte, options) : options.stdin;
      let started = from.byte > 0;
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        if (!started) refuseCompressed(chunk, name);
        started = true;
        prefix?.add(chunk);
        yield parse(chunk, false);
      }
      // The last line of a file may be half-written. It is read when it is complete.
      if (!file || reader.endsWithObject) yield parse(Buffer.alloc(0), true);
      else if (reader.endsInsideLine) {
        options.log(`${name}: the last line is incomplete and was left for the next run.`);
      }
    },
  };
}

async function openFile(path: string): Promise<FileHandle> {
  await checkInput(path, 'sync');
  return open(path);
}

function refuseCompressed(head: Buffer, name: string): void {
  const tool = isGzip(head) ? 'gzip' : isZstd(head) ? 'zstd' : undefined;
  if (tool === undefined) return;
  throw new ImportError(
    `${name} is compressed. Decompress it first: ${tool} -dc FILE | clientele sync`,
  );
}

/** A file keeps its inode while it grows. With other options, the same records may give other customers. */
async function identify(file: FileHandle, options: FeedOptions): Promise<string> {
  const { dev, ino } = await file.stat();
  const running = { stdin: undefined, follow: undefined, signal: undefined, log: undefined };
  const reading = { ...options, ...running, map: [...options.map] };
  return createHash('sha256')
    .update(JSON.stringify(['sync', dev, ino, reading]))
    .digest('hex');
}

async function* readAppended(
  file: FileHandle,
  path: string,
  from: number,
  { follow, signal }: FeedOptions,
): AsyncGenerator<Buffer> {
  const { ino } = await file.stat();
  /** Since when the file has been rotated and has not grown. */
  let doneSince: number | undefined;
  try {
    for (let at = from; !signal.aborted;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, at);
      at += bytesRead;
      if (bytesRead > 0) {
        doneSince = undefined;
        yield buffer.subarray(0, bytesRead);
      } else if (!follow) return;
      else {
        if ((await file.stat()).size < at) {
          throw new ImportError(
            `${path} was truncated while it was read. Start sync again to read it from the beginning.`,
          );
        }
        const current = await stat(path).catch(() => undefined);
        doneSince = current?.ino === ino ? undefined : (doneSince ?? performance.now());
        if (doneSince !== undefined && performance.now() - doneSince >= rotationMs) return;
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    await file.close();
  }
}
