/**
 * The list of erasures, in a file outside the database: what a restored backup no longer knows. Every line is
 * authenticated together with the line that was the last one when it was written, so that no line can be changed,
 * or removed from among others, without the secret.
 *
 * Several processes may append to one file: two of them may find the same last line, and both name it.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Secret } from '../../settings/secret.ts';

export interface SuppressedHash {
  kind: 'uuid' | 'email' | 'phone';
  hash: Buffer;
}

/** A person was erased. */
export interface ErasureEntry {
  type: 'erasure';
  id: string;
  uuid: string;
  erasedAt: Date;
  reason: string | null;
  hashes: SuppressedHash[];
}

/** A suppression was lifted. */
export interface LiftEntry {
  type: 'lift';
  hash: Buffer;
  /** Of the customer whose identifier it is; null for an address or a number. */
  uuid: string | null;
  liftedAt: Date;
  reason: string | null;
}

export type LedgerEntry = ErasureEntry | LiftEntry;

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
}

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const existing = O_RDWR | O_APPEND | O_NOFOLLOW;
/** The last line is looked for in this many bytes first. */
const tailBytes = 65_536;
const lineForm = /^\{"entry":(\{.*\}),"previous":"([\w-]*)","mac":"([\w-]{43})"\}$/;

export class Ledger {
  readonly path: string;
  readonly #key: Buffer;

  private constructor(path: string, secret: Secret) {
    this.path = path;
    this.#key = Buffer.from(hkdfSync('sha256', secret.searchKey, '', 'clientele ledger', 32));
  }

  /** Creates the file, readable by its owner only, unless it must exist already. */
  static async open(path: string, secret: Secret, { mustExist = false } = {}): Promise<Ledger> {
    const ledger = new Ledger(path, secret);
    await ledger.#with(
      async (file) => {
        if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600);
      },
      { create: !mustExist },
    );
    return ledger;
  }

  /** Resolves when the entries are on the disk. After an error, some of them may be there. */
  async append(entries: readonly LedgerEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#with(async (file) => {
      const { size } = await file.stat();
      let { previous, torn } = await lastLine(file, size);
      const lines = entries.map((entry) => {
        const text = toText(entry);
        const mac = this.#mac(previous, text);
        const line = `{"entry":${text},"previous":"${previous}","mac":"${mac}"}\n`;
        previous = mac;
        return line;
      });
      const bytes = Buffer.from((torn ? '\n' : '') + lines.join(''));
      // One write, so that lines of other processes come before or after these.
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) throw new LedgerError(`The disk of ${this.path} is full.`);
      await file.datasync();
    });
  }

  /** Throws LedgerError unless every line is authentic. A last line that is incomplete was never relied on. */
  read(): Promise<LedgerEntry[]> {
    return this.#with(async (file) => {
      const entries: LedgerEntry[] = [];
      const macs = new Set(['']);
      let number = 0;
      let unreadable = 0;
      for await (const line of linesOf(file)) {
        number += 1;
        const [, text, previous, mac] = lineForm.exec(line) ?? [];
        if (text === undefined) {
          // Incomplete, if the next line names the one before it.
          unreadable = number;
        } else if (!macs.has(previous!) || this.#mac(previous!, text) !== mac) {
          throw this.#damaged(number);
        } else {
          entries.push(toEntry(text));
          macs.add(mac);
          unreadable = 0;
        }
      }
      if (unreadable > 0) throw this.#damaged(unreadable);
      return entries;
    });
  }

  /** Differs after the file was appended to or replaced. */
  version(): Promise<string> {
    return this.#with(async (file) => {
      const { ino, size, mtimeMs } = await file.stat();
      return `${ino} ${size} ${mtimeMs}`;
    });
  }

  #mac(previous: string, text: string): string {
    return createHmac('sha256', this.#key).update(`${previous}\n${text}`).digest('base64url');
  }

  #damaged(line: number): LedgerError {
    return new LedgerError(
      `Line ${line} of ${this.path} is not authentic: the file was changed, or written with another secret. ` +
        'Restore it from a copy, or use the ledger of another instance.',
    );
  }

  /** The file is opened for each use: it may be replaced by a copy meanwhile. */
  async #with<T>(work: (file: FileHandle) => Promise<T>, { create = false } = {}): Promise<T> {
    const file = await open(this.path, existing).catch((error: NodeJS.ErrnoException) => {
      if (create && error.code === 'ENOENT') return this.#create();
      throw this.#unusable(error);
    });
    try {
      if (!(await file.stat()).isFile()) throw new LedgerError(`${this.path} is not a file.`);
      return await work(file);
    } catch (error) {
      throw this.#unusable(error);
    } finally {
      await file.close();
    }
  }

  async #create(): Promise<FileHandle> {
    try {
      const file = await open(this.path, existing | O_CREAT | O_EXCL, 0o600);
      // Its name must survive a crash, too.
      const folder = await open(dirname(this.path), 'r');
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
      return file;
    } catch (error) {
      // Another process may have created it.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return open(this.path, existing);
      throw this.#unusable(error);
    }
  }

  #unusable(error: unknown): unknown {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = reasons[code];
    if (reason === undefined) return error;
    return new LedgerError(`Cannot use the ledger ${this.path}: ${reason}`, { cause: error });
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'the file or its folder does not exist.',
  EACCES: 'you may not read and write it.',
  EISDIR: 'it is a folder.',
  ELOOP: 'it is a symbolic link.',
  ENOSPC: 'the disk is full.',
  EROFS: 'its file system is read-only.',
  EIO: 'the disk reports an error.',
};

function toText(entry: LedgerEntry): string {
  if (entry.type === 'lift') {
    const { type, hash, uuid, liftedAt, reason } = entry;
    return JSON.stringify({ type, hash: hash.toString('hex'), uuid, lifted_at: liftedAt, reason });
  }
  const { type, id, uuid, erasedAt, reason } = entry;
  const hashes = entry.hashes.map(({ kind, hash }) => ({ kind, hash: hash.toString('hex') }));
  return JSON.stringify({ type, id, uuid, erased_at: erasedAt, reason, hashes });
}

/** Of an authentic text, which `toText` wrote. */
function toEntry(text: string): LedgerEntry {
  const { hash, hashes, erased_at, lifted_at, ...rest } = JSON.parse(text);
  if (rest.type === 'lift') {
    return { ...rest, hash: Buffer.from(hash, 'hex'), liftedAt: new Date(lifted_at) };
  }
  return {
    ...rest,
    erasedAt: new Date(erased_at),
    hashes: (hashes as { kind: SuppressedHash['kind']; hash: string }[]).map(({ kind, hash }) => ({
      kind,
      hash: Buffer.from(hash, 'hex'),
    })),
  };
}

/** The code of the last complete line, and whether something incomplete follows it. */
async function lastLine(
  file: FileHandle,
  size: number,
): Promise<{ previous: string; torn: boolean }> {
  for (let length = Math.min(size, tailBytes); ; length = size) {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString().split('\n');
    const torn = lines.pop() !== '';
    const mac = lines.map((line) => lineForm.exec(line)?.[3]).findLast((found) => found);
    if (mac !== undefined || length === size) return { previous: mac ?? '', torn };
  }
}

/** Without what follows the last line break. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let rest = '';
  const chunks = file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' });
  for await (const chunk of chunks) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
