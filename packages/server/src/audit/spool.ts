/**
 * Keeps batches on the local disk while the primary is away. A batch is a line, written and synchronised before
 * its answers are sent. Any instance may take over the file of one that has died: storing a batch twice stores it
 * once. If the instance is alive, it notices that its file has been taken, and writes the batch again.
 */
import { createReadStream } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  stat,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf, type Batch } from './batch.ts';

const mostBytes = 256_000_000;
/** A file that was not written to for this long may be that of an instance that has died. */
const abandonedAfterMs = 10_000;

export class SpoolError extends Error {
  override readonly name = 'SpoolError';
}

/** Files whose batches were stored, and those that are kept because a line of them cannot be read. */
export interface Adopted {
  files: number;
  damaged: string[];
}

interface OpenFile {
  path: string;
  handle: FileHandle;
  inode: number;
}

export class Spool {
  readonly folder: string;
  readonly #mostBytes: number;
  #file: OpenFile | undefined;
  /** The bytes of complete lines, and how many of them have been stored. */
  #bytes = 0;
  #stored = 0;

  private constructor(folder: string, most: number) {
    this.folder = folder;
    this.#mostBytes = most;
  }

  /** Only this user may read or write the folder. */
  static async open(folder: string, most: number = mostBytes): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = await lstat(folder).then((found) => {
      if (!found.isDirectory()) throw new SpoolError(`${folder} is not a folder`);
      return found;
    });
    if (process.getuid && uid !== process.getuid()) {
      throw new SpoolError(`${folder} belongs to another user`);
    }
    if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
    return new Spool(folder, most);
  }

  get bytes(): number {
    return this.#bytes - this.#stored;
  }

  /** Resolves when the batch is on the disk. After an error, the batch may be there or not. */
  async append(batch: Batch): Promise<void> {
    const line = toLine(batch);
    if (this.#bytes + line.length > this.#mostBytes) {
      throw new SpoolError(`the spool has reached its limit of ${this.#mostBytes} bytes`);
    }
    for (;;) {
      const file = (this.#file ??= await this.#create(batch));
      // What an earlier attempt has left is overwritten.
      await file.handle.truncate(this.#bytes);
      await file.handle.write(line, 0, line.length, this.#bytes);
      await file.handle.datasync();
      if (await isAt(file)) break;
      await this.#leave();
    }
    this.#bytes += line.length;
  }

  /** The batches that have not been stored, oldest first. */
  async *unstored(): AsyncGenerator<Batch> {
    const file = this.#file;
    if (!file) return;
    // Not abandoned.
    await file.handle.utimes(new Date(), new Date());
    if (!(await isAt(file))) {
      await this.#leave();
      return;
    }
    for await (const { batch, end } of readLines(file.path, this.#stored)) {
      yield batch;
      this.#stored = end;
      if (end >= this.#bytes) return;
    }
  }

  /** Deletes the file if all its batches have been stored. Nothing may be appended meanwhile. */
  async clear(): Promise<boolean> {
    if (this.#stored < this.#bytes) return false;
    if (this.#file) await unlink(this.#file.path).catch(() => undefined);
    await this.#leave();
    return true;
  }

  /** Takes over the files of other instances; each is deleted when `store` has stored all its batches. */
  async adopt(store: (batches: AsyncGenerator<Batch>) => Promise<void>): Promise<Adopted> {
    const adopted: Adopted = { files: 0, damaged: [] };
    for (const name of await readdir(this.folder).catch(() => [])) {
      const path = join(this.folder, name);
      if (!/\.(?:spool|taken)$/.test(name) || path === this.#file?.path) continue;
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs > Date.now() - abandonedAfterMs) continue;
      const taken = path.replace(/\.spool$/, '.taken');
      // Another instance may be faster.
      if (taken !== path && !(await renamed(path, taken))) continue;
      try {
        await store(batchesIn(taken));
        await unlink(taken).catch(() => undefined);
        adopted.files += 1;
      } catch (error) {
        if (!(error instanceof SpoolError)) throw error;
        adopted.damaged.push(`${taken}.damaged`);
        await renamed(taken, `${taken}.damaged`);
      }
    }
    return adopted;
  }

  /** Removes the folder if it is empty. */
  async close(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = undefined;
    await rmdir(this.folder).catch(() => undefined);
  }

  async #create({ chain, number }: Batch): Promise<OpenFile> {
    // Another instance may have ended meanwhile.
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, `${chain}-${number}-${Date.now()}.spool`);
    const handle = await open(path, 'wx', 0o600);
    const folder = await open(this.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return { path, handle, inode: (await handle.stat()).ino };
  }

  async #leave(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#bytes = 0;
    this.#stored = 0;
    await file?.handle.close();
  }
}

/** Whether the file has its name, and no other instance has taken it. */
const isAt = ({ path, inode }: OpenFile): Promise<boolean> =>
  stat(path).then(
    ({ ino }) => ino === inode,
    () => false,
  );

const renamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    () => false,
  );

async function* batchesIn(path: string): AsyncGenerator<Batch> {
  for await (const { batch } of readLines(path, 0)) yield batch;
}

function toLine({ chain, number, previous, entries, customers, hash }: Batch): Buffer {
  const parts = [previous, hash, entries, customers].map((part) => part.toString('base64'));
  return Buffer.from(`${chain} ${number} ${parts.join(' ')}\n`);
}

function toBatch(line: string): Batch | undefined {
  const [chain = '', number, ...parts] = line.split(' ');
  const [previous, hash, entries, customers] = parts.map((part) => Buffer.from(part, 'base64'));
  if (!previous || !hash || !entries || !customers || !/^\d{1,15}$/.test(number!)) return undefined;
  const batch = { chain, number: Number(number), previous, entries, customers, hash };
  return hashOf(batch).equals(hash) ? batch : undefined;
}

/** A last line that is torn was never synchronised, so no answer was sent for it. */
async function* readLines(
  path: string,
  from: number,
): AsyncGenerator<{ batch: Batch; end: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let end = from;
  let torn = false;
  for await (const chunk of createReadStream(path, { start: from, highWaterMark: 1 << 20 })) {
    if (torn) throw new SpoolError(`${path} is damaged at byte ${end}`);
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let at = rest.indexOf('\n'); at !== -1; at = rest.indexOf('\n')) {
      if (torn) throw new SpoolError(`${path} is damaged at byte ${end}`);
      const batch = toBatch(rest.toString('latin1', 0, at));
      torn = batch === undefined;
      rest = rest.subarray(at + 1);
      if (!batch) continue;
      end += at + 1;
      yield { batch, end };
    }
  }
}
