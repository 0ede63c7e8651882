/** A file or standard input as UTF-8: detects compression and UTF-16, and decodes other encodings if given. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportError } from './import-error.ts';
import { unzstd } from './unzstd.ts';

const headBytes = 65_536;

export interface Source {
  /** For messages: the file's name, or `standard input`. */
  name: string;
  /** Decoded bytes. Leaving the loop closes the file. */
  chunks(): AsyncGenerator<Buffer>;
  /** The position in the file on disk, before decompression; for a progress bar. */
  bytesRead(): number;
  /** The encoding, once the first bytes are read; undefined for UTF-8. */
  encoding(): string | undefined;
}

export interface SourceOptions {
  encoding?: string | undefined;
  /** A position in the decoded data. Plain files are opened there; others are read up to it and skipped. */
  from?: number;
}

/** Reads `path`, or standard input for `-`. */
export async function openSource(
  path: string,
  stdin: Readable,
  { encoding, from = 0 }: SourceOptions = {},
): Promise<Source> {
  const fromPipe = path === '-';
  const head = fromPipe ? undefined : await readHead(path);
  let bytesRead = 0;
  let found = encoding;
  const chunks = async function* (): AsyncGenerator<Buffer> {
    const plain = head !== undefined && isPlain(head, encoding);
    const start = plain ? from : 0;
    let raw: Readable;
    if (fromPipe) raw = stdin;
    else raw = createReadStream(path, { start, highWaterMark: 65_536 });
    bytesRead = start;
    const counted = new Transform({
      transform(chunk: Buffer, _, done) {
        bytesRead += chunk.length;
        done(null, chunk);
      },
    });
    const bytes = raw.on('error', (error) => counted.destroy(error)).pipe(counted);
    const first = head ?? (await peek(bytes));
    let skip = plain ? 0 : from;
    const decoded = plain ? bytes : decode(bytes, first, encoding, (label) => (found = label));
    try {
      for await (const chunk of decoded as AsyncIterable<Buffer>) {
        const passed = Math.min(skip, chunk.length);
        skip -= passed;
        if (passed < chunk.length) yield chunk.subarray(passed);
      }
    } catch (error) {
      throw explainReadError(error, path);
    } finally {
      raw.destroy();
    }
  };
  const name = fromPipe ? 'standard input' : path;
  return { name, chunks, bytesRead: () => bytesRead, encoding: () => found };
}

/** The first bytes of the file on disk. */
async function readHead(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw explainReadError(error, path);
  }
}

/** Reads the first chunk of a stream and puts it back. */
async function peek(stream: Readable): Promise<Buffer> {
  for (;;) {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) {
      stream.unshift(chunk);
      return chunk;
    }
    if (stream.readableEnded) return Buffer.alloc(0);
    await new Promise<void>((resolve, reject) => {
      stream.once('readable', resolve).once('end', resolve).once('error', reject);
    });
  }
}

const starts = (head: Buffer, ...bytes: number[]): boolean =>
  bytes.every((byte, i) => head[i] === byte);

export const isGzip = (head: Buffer): boolean => starts(head, 0x1f, 0x8b);
export const isZstd = (head: Buffer): boolean => starts(head, 0x28, 0xb5, 0x2f, 0xfd);

/** Detects UTF-16 by its byte order mark, or by the zero bytes of Latin text. */
function detectUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (
    starts(head, 0xff, 0xfe) ||
    (head.length > 3 && head[0] !== 0 && head[1] === 0 && head[2] !== 0 && head[3] === 0)
  )
    return 'utf-16le';
  if (
    starts(head, 0xfe, 0xff) ||
    (head.length > 3 && head[0] === 0 && head[1] !== 0 && head[2] === 0 && head[3] !== 0)
  )
    return 'utf-16be';
  return undefined;
}

function isPlain(head: Buffer, encoding: string | undefined): boolean {
  return (
    encoding === undefined && !isGzip(head) && !isZstd(head) && detectUtf16(head) === undefined
  );
}

type OnEncoding = (label: string | undefined) => void;

function decode(
  bytes: Readable,
  head: Buffer,
  encoding: string | undefined,
  onEncoding: OnEncoding,
): Readable {
  let unpacked = bytes;
  if (isGzip(head)) unpacked = passErrors(bytes, createGunzip());
  else if (isZstd(head)) unpacked = Readable.from(unzstd(bytes as AsyncIterable<Buffer>));
  return passErrors(unpacked, new ToUtf8(encoding, onEncoding));
}

function passErrors(from: Readable, to: Transform | ReturnType<typeof createGunzip>): Readable {
  from.on('error', (error) => to.destroy(error));
  return from.pipe(to);
}

/** Passes UTF-8 through unchanged, valid or not: readers reject the records with invalid bytes. */
class ToUtf8 extends Transform {
  #label: string | undefined;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #started = false;
  #judged = false;
  readonly #onEncoding: OnEncoding;

  constructor(label: string | undefined, onEncoding: OnEncoding) {
    super();
    this.#label = label;
    this.#onEncoding = onEncoding;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (!this.#started) {
      this.#started = true;
      const label = this.#label ?? detectUtf16(chunk);
      this.#onEncoding(label);
      if (label !== undefined && !/^utf-?8$/i.test(label)) this.#decoder = new TextDecoder(label);
    }
    if (!this.#decoder) return done(null, chunk);
    if (this.#isUtf8(chunk)) return done(isUtf8Already(this.#label!));
    done(null, marked(this.#decoder.decode(chunk, { stream: true })));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#decoder && marked(this.#decoder.decode()));
  }

  /** Whether the first bytes beyond ASCII are UTF-8, which is all but impossible in an encoding of single bytes. */
  #isUtf8(chunk: Buffer): boolean {
    if (
      this.#judged ||
      this.#label === undefined ||
      /^(?:utf|gb|big5|euc|shift|iso-2022)/.test(this.#decoder!.encoding)
    )
      return false;
    const at = chunk.findIndex((byte) => byte > 127);
    if (at < 0) return false;
    this.#judged = true;
    // The last character may continue in the next chunk.
    const end =
      chunk.length - at > 4 ? chunk.findLastIndex((byte) => byte < 128) + 1 : chunk.length;
    return isUtf8(chunk.subarray(at, Math.max(end, at + 2)));
  }
}

const isUtf8Already = (label: string): ImportError =>
  new ImportError(`The file is in UTF-8, not in ${label}. Import it without --encoding.`);

const replacement = Buffer.from('\uFFFD');

/** With a byte that is never in UTF-8 where the decoder found none, so that the record is rejected. */
function marked(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (!text.includes('\uFFFD')) return bytes;
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(replacement, at);
    const end = found < 0 ? bytes.length : found;
    length += bytes.copy(bytes, length, at, end);
    if (found >= 0) bytes[length++] = 0xff;
    at = end + (found < 0 ? 0 : replacement.length);
  }
  return bytes.subarray(0, length);
}

export function checkEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new ImportError(
      `The encoding ${label} is not supported. Common ones are windows-1252, utf-16le and shift_jis.`,
    );
  }
}

/** Turns file system and decompression errors into messages. */
export function explainReadError(error: unknown, path: string): unknown {
  const { code = '' } = error as { code?: string };
  const name = path === '-' ? 'standard input' : path;
  if (code === 'ENOENT') return new ImportError(`The file ${name} does not exist.`);
  if (code === 'EISDIR') return new ImportError(`${name} is a directory, not a file.`);
  if (code === 'EACCES') return new ImportError(`You do not have permission to read ${name}.`);
  if (/^(Z_|ZSTD_|ERR_ZSTD)/.test(code)) {
    return new ImportError(
      `${name} is damaged or truncated and cannot be decompressed. Copy or download it again.`,
    );
  }
  return error;
}
