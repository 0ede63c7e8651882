/** NDJSON as it comes: from standard input, or from a file that grows. */
import { createHash } from 'node:crypto';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { ImportError } from './import-error.ts';
import { RowMaker, type RowOptions } from './customer-row.ts';
import type { MatchOptions } from './match-fields.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { readable } from './source.ts';
import { keyMatcher, type Records } from './table.ts';

export interface FeedOptions extends MatchOptions, RowOptions {
  stdin: Readable;
  /** Wait for more at the end of the file. */
  follow: boolean;
  signal: AbortSignal;
}

export interface Feed extends Records {
  /** Undefined for a pipe, which only its writer can go back in. */
  fingerprint: string | undefined;
}

const pollMs = 250;

export async function openFeed(path: string, options: FeedOptions): Promise<Feed> {
  const match = keyMatcher(options);
  const file = path === '-' ? undefined : await openFile(path);
  return {
    name: file ? path : 'standard input',
    start: { byte: 0, line: 1 },
    fingerprint: file && (await identify(file)),
    async *read(from, asOf) {
      const maker = new RowMaker({ ...options, asOf, deletes: true });
      // Shorter than it was: written anew.
      const anew = file !== undefined && (await file.stat()).size < from.byte;
      const start = anew ? { byte: 0, line: 1 } : from;
      const reader = new NdjsonReader(start);
      const chunks = file ? grow(file, path, start.byte, options) : options.stdin;
      const made = (chunk: Buffer, last: boolean) =>
        Array.from(reader.read(chunk, last), (record) => {
          const { fields, idColumn } = match(record.keys ?? []);
          return { record, made: maker.make(record, record.keys ?? [], fields, idColumn) };
        });
      for await (const chunk of chunks as AsyncIterable<Buffer>) yield made(chunk, false);
      yield made(Buffer.alloc(0), true);
    },
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw readable(error, path);
  }
}

/** A file that grows keeps its place on disk and its first line; another one differs in either. */
async function identify(file: FileHandle): Promise<string> {
  const { dev, ino } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0);
  const [firstLine] = buffer.toString('latin1', 0, bytesRead).split('\n');
  return createHash('sha256')
    .update(JSON.stringify(['sync', dev, ino, firstLine]))
    .digest('hex');
}

async function* grow(
  file: FileHandle,
  path: string,
  from: number,
  { follow, signal }: FeedOptions,
): AsyncGenerator<Buffer> {
  const { ino } = await file.stat();
  try {
    for (let at = from; !signal.aborted;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, at);
      at += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (!follow) return;
      else {
        if ((await file.stat()).size < at) {
          throw new ImportError(
            `${path} became shorter. Start again to read it from its beginning.`,
          );
        }
        // Rotated: read to its end, the rest is another file's.
        const now = await stat(path).catch(() => undefined);
        if (now?.ino !== ino) return;
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    await file.close();
  }
}
