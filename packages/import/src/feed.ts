/** NDJSON from standard input, or from a file that another process appends to. */
import { createHash } from 'node:crypto';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { RowParser, type RowOptions } from './customer-row.ts';
import { ImportError } from './import-error.ts';
import type { MatchOptions } from './match-fields.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import { explainReadError } from './source.ts';
import { keyMatcher, type Records } from './table.ts';

export interface FeedOptions extends MatchOptions, RowOptions {
  stdin: Readable;
  /** At the end of the file, wait for more. */
  follow: boolean;
  signal: AbortSignal;
}

export interface Feed extends Records {
  /** Undefined for standard input, which cannot be resumed. */
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
      const parser = new RowParser({ ...options, asOf, deletes: true });
      // A file that is shorter than the checkpoint was truncated: read it from the beginning.
      const truncated = file !== undefined && (await file.stat()).size < from.byte;
      const start = truncated ? { byte: 0, line: 1 } : from;
      const reader = new NdjsonReader(start);
      const chunks = file ? readAppended(file, path, start.byte, options) : options.stdin;
      const parse = (chunk: Buffer, last: boolean) =>
        Array.from(reader.read(chunk, last), (record) => {
          const { fields, idColumn } = match(record.keys ?? []);
          return { record, result: parser.parse(record, record.keys ?? [], fields, idColumn) };
        });
      for await (const chunk of chunks as AsyncIterable<Buffer>) yield parse(chunk, false);
      yield parse(Buffer.alloc(0), true);
    },
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw explainReadError(error, path);
  }
}

/** A file keeps its inode and its first line while it grows. */
async function identify(file: FileHandle): Promise<string> {
  const { dev, ino } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0);
  const [firstLine] = buffer.toString('latin1', 0, bytesRead).split('\n');
  return createHash('sha256')
    .update(JSON.stringify(['sync', dev, ino, firstLine]))
    .digest('hex');
}

async function* readAppended(
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
            `${path} was truncated while it was read. Start sync again to read it from the beginning.`,
          );
        }
        // The file was rotated, and this one has been read to its end.
        const current = await stat(path).catch(() => undefined);
        if (current?.ino !== ino) return;
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    await file.close();
  }
}
