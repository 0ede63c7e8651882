/** A file or standard input as UTF-8 bytes: decompressed by what it holds, decoded where it is told. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportError } from './import-error.ts';
import { unzstd } from './unzstd.ts';

const headBytes = 65_536;

export interface Source {
  /** For people: the file's name, or `standard input`. */
  name: string;
  /** Decoded bytes. Ends the process's reading when left. */
  chunks(): AsyncGenerator<Buffer>;
  /** How far into the file as it lies on disk; for a progress bar. */
  bytesRead(): number;
}

export interface SourceOptions {
  encoding?: string | undefined;
  /** Plain files start here; whatever is compressed or decoded is read from its beginning. */
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
    const decoded = plain ? bytes : decode(bytes, first, encoding);
    try {
      for await (const chunk of decoded as AsyncIterable<Buffer>) {
        const passed = Math.min(skip, chunk.length);
        skip -= passed;
        if (passed < chunk.length) yield chunk.subarray(passed);
      }
    } catch (error) {
      throw readable(error, path);
    } finally {
      raw.destroy();
    }
  };
  return { name: fromPipe ? 'standard input' : path, chunks, bytesRead: () => bytesRead };
}

/** The first bytes as they lie on disk. */
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
    throw readable(error, path);
  }
}

/** Waits for the first bytes of a stream and puts them back. */
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

const isGzip = (head: Buffer): boolean => starts(head, 0x1f, 0x8b);
const isZstd = (head: Buffer): boolean => starts(head, 0x28, 0xb5, 0x2f, 0xfd);

/** The encoding that a byte order mark, or the zeros of Latin text in UTF-16, give away. */
function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
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
  return encoding === undefined && !isGzip(head) && !isZstd(head) && utf16Of(head) === undefined;
}

function decode(bytes: Readable, head: Buffer, encoding: string | undefined): Readable {
  let unpacked = bytes;
  if (isGzip(head)) unpacked = passErrors(bytes, createGunzip());
  else if (isZstd(head)) unpacked = Readable.from(unzstd(bytes as AsyncIterable<Buffer>));
  return passErrors(unpacked, new ToUtf8(encoding));
}

function passErrors(from: Readable, to: Transform | ReturnType<typeof createGunzip>): Readable {
  from.on('error', (error) => to.destroy(error));
  return from.pipe(to);
}

/** Passes UTF-8 on as it is, broken or not: that is for each record to say. */
class ToUtf8 extends Transform {
  #label: string | undefined;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #started = false;

  constructor(label: string | undefined) {
    super();
    this.#label = label;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (!this.#started) {
      this.#started = true;
      const label = this.#label ?? utf16Of(chunk);
      if (label !== undefined && !/^utf-?8$/i.test(label)) this.#decoder = new TextDecoder(label);
    }
    done(null, this.#decoder ? this.#decoder.decode(chunk, { stream: true }) : chunk);
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#decoder?.decode());
  }
}

export function checkEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new ImportError(
      `There is no encoding ${label}. Common ones: windows-1252, utf-16le, shift_jis`,
    );
  }
}

/** What reading can run into, in words. */
export function readable(error: unknown, path: string): unknown {
  const { code = '' } = error as { code?: string };
  const name = path === '-' ? 'standard input' : path;
  if (code === 'ENOENT') return new ImportError(`There is no file ${name}.`);
  if (code === 'EISDIR') return new ImportError(`${name} is a folder, not a file.`);
  if (code === 'EACCES') return new ImportError(`This user may not read ${name}.`);
  if (/^(Z_|ZSTD_|ERR_ZSTD)/.test(code)) {
    return new ImportError(`${name} is damaged or cut off: it does not decompress to its end.`);
  }
  return error;
}
