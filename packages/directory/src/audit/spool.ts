/**
 * Keeps batches on the local disk while the primary is away. A batch is a line, written and synchronised before
 * its answers are sent. Any instance may take over the file of one that has died: storing a batch twice stores it
 * once. If the instance is alive, it notices that its file has been taken, and writes the batch again.
 */
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
import type { Batch } from './batch.ts';
import { readLines, toLine } from './spool-lines.ts';

const mostBytes = 256_000_000;
/** A file that was not written to for this long may be that of an instance that has died. */
const abandonedAfterMs = 10_000;
/** How the names of files end that have a line which cannot be read. */
const damaged = '.damaged';

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
      await this.#write(file, line);
      if (await isAt(file)) break;
      await this.#leave();
    }
    this.#bytes += line.length;
  }

  /** A disk that fills up takes a part of the line, without an error: nothing of it stays. */
  async #write({ path, handle }: OpenFile, line: Buffer): Promise<void> {
    await handle.truncate(this.#bytes);
    try {
      const { bytesWritten } = await handle.write(line, 0, line.length, this.#bytes);
      if (bytesWritten < line.length) throw new SpoolError(`the disk of ${path} is full`);
      await handle.datasync();
    } catch (error) {
      await handle.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
  }

  /** The batches that have not been stored, oldest first. Throws SpoolError where one cannot be read. */
  async *unstored(): AsyncGenerator<Batch> {
    const file = this.#file;
    if (!file) return;
    // Not abandoned.
    await file.handle.utimes(new Date(), new Date());
    if (!(await isAt(file))) {
      await this.#leave();
      return;
    }
    while (this.#stored < this.#bytes) {
      const from = this.#stored;
      for await (const { batch, end } of readLines(file.path, from)) {
        if (!batch) break;
        yield batch;
        this.#stored = end;
        if (end >= this.#bytes) return;
      }
      if (this.#stored === from) throw new SpoolError(`${file.path} is damaged at byte ${from}`);
    }
  }

  /** Leaves a file that cannot be read to whoever runs `audit verify`. Returns its name. */
  async setAside(): Promise<string | undefined> {
    const path = this.#file?.path;
    if (path !== undefined) await renamed(path, `${path}${damaged}`);
    await this.#leave();
    return path && `${path}${damaged}`;
  }

  /** Deletes the file if all its batches have been stored. Nothing may be appended meanwhile. */
  async clear(): Promise<boolean> {
    if (this.#stored < this.#bytes) return false;
    if (this.#file) await unlink(this.#file.path).catch(() => undefined);
    await this.#leave();
    return true;
  }

  /**
   * Takes over the files of other instances; each is deleted when `store` has stored all its batches. A file with a
   * line that cannot be read is kept, and what follows that line is stored.
   */
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
      const file = { path: taken, damaged: false };
      await store(batchesIn(file));
      adopted.files += 1;
      if (file.damaged) {
        adopted.damaged.push(`${taken}${damaged}`);
        await renamed(taken, `${taken}${damaged}`);
      } else await unlink(taken).catch(() => undefined);
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

/** Files of a folder that answers without an entry may have been in. None if there is no such folder. */
export async function damagedFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(damaged)).map((name) => join(folder, name));
}

/** A last line that is torn was never synchronised, so no answer was sent for it: that is no damage. */
async function* batchesIn(file: { path: string; damaged: boolean }): AsyncGenerator<Batch> {
  let unreadable = false;
  for await (const { batch } of readLines(file.path, 0)) {
    file.damaged ||= unreadable;
    unreadable ||= !batch;
    if (batch) yield batch;
  }
}
