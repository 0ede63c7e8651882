/** The file of rejected records, as in the source and with the reasons, to be corrected and imported again. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { createPrivateFile } from '@clientele/directory';
import type { Checkpoint } from './checkpoint.ts';
import { ImportError } from './import-error.ts';
import { explainReject, type Reject } from './faults.ts';
import { jsonLayout, type RejectLayout } from './reject-layout.ts';
import { reasonName } from './reject-reason.ts';

/** How long the list of a run is, and the hash of its end: another list may be as long. */
export type Listed = Pick<Checkpoint, 'rejectBytes' | 'rejectHash'>;

/** Perhaps after a byte order mark, a hint for spreadsheets, or the beginning of a JSON object. */
const listStart = new RegExp(
  String.raw`^(?:\xEF\xBB\xBF|\xFF\xFE|\xFE\xFF)?(?:sep=.\s+)?[{"\s]*${reasonName}\b`,
  'i',
);

const hashedBytes = 65_536;

export class RejectFile {
  readonly path: string;
  #layout: RejectLayout = jsonLayout;
  #file: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Before the first record is written. */
  useLayout(layout: RejectLayout): void {
    this.#layout = layout;
  }

  /** After what belongs to committed batches. */
  append({ rejectBytes, rejectHash }: Listed, rejects: readonly Reject[]): Listed {
    const length = this.write(rejectBytes, rejects);
    const hash = length === rejectBytes ? rejectHash : this.#hash(length);
    return { rejectBytes: length, rejectHash: hash };
  }

  /** Whether it begins with that list. Of pipes and devices, nobody knows. */
  isOwn({ rejectBytes, rejectHash }: Listed): boolean {
    try {
      return !lstatSync(this.path).isFile() || this.#hash(rejectBytes) === rejectHash;
    } catch {
      return false;
    }
  }

  /** Of the end of its first `length` bytes: the last records, with their lines. Null for a pipe or a device. */
  #hash(length: number): string | null {
    const end = Buffer.alloc(Math.min(length, hashedBytes));
    if (!lstatSync(this.path, { throwIfNoEntry: false })?.isFile()) return null;
    const file = openSync(this.path, 'r');
    try {
      const found = end.subarray(0, readSync(file, end, 0, end.length, length - end.length));
      return createHash('sha256').update(found).digest('hex');
    } finally {
      closeSync(file);
    }
  }

  /**
   * Appends after the first `length` bytes, which belong to committed batches, and returns the new length.
   * The file is created when the first record is rejected.
   */
  write(length: number, rejects: readonly Reject[]): number {
    if (rejects.length === 0 && this.#file === undefined) return length;
    try {
      this.#file ??= openFor(this.path, length);
      const kept = keep(this.#file, length);
      const { start, encode } = this.#layout;
      const records = Buffer.concat([...(kept === 0 ? [start] : []), ...this.#records(rejects)]);
      const bytes = encode(records);
      writeAll(this.#file, bytes);
      return kept + bytes.length;
    } catch (cause) {
      const { code } = cause as { code?: string };
      const reason = code === 'ELOOP' ? 'it is a link' : code;
      throw new ImportError(
        `Cannot write rejected records to ${this.path} (${reason}). Choose another file with --rejects.`,
        { cause },
      );
    }
  }

  /** After a run without rejected records: a list of an earlier one would be misleading. */
  removeStale(): void {
    this.close();
    try {
      if (isList(this.path)) rmSync(this.path);
    } catch {
      // There is none.
    }
  }

  /** Several rejects of one record follow each other. */
  #records(rejects: readonly Reject[]): Buffer[] {
    const records: Buffer[] = [];
    for (let from = 0; from < rejects.length;) {
      const { line, source = Buffer.alloc(0) } = rejects[from]!;
      let to = from;
      while (rejects[to]?.line === line) to += 1;
      const reasons = rejects.slice(from, to).map(describe);
      records.push(this.#layout.record(`line ${line}: ${reasons.join('; ')}`, source));
      from = to;
    }
    return records;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Whether it is a list of rejected records, whatever its format and encoding are. Reading a pipe would not end. */
function isList(path: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(4_096);
    const text = head.toString('latin1', 0, readSync(file, head)).replaceAll('\0', '');
    return listStart.test(text);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens the file to append after its first `length` bytes. A file of an earlier run is replaced, not written to:
 * others may have it open. Links are not followed, except those of the system such as /dev/stderr.
 */
function openFor(path: string, length: number): number {
  if (path.startsWith('/dev/')) return openSync(path, 'a');
  const { O_WRONLY, O_APPEND, O_NOFOLLOW } = constants;
  let file: number;
  try {
    file = openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return create(path);
    throw error;
  }
  if (!fstatSync(file).isFile()) return file;
  if (length > 0) {
    fchmodSync(file, 0o600);
    return file;
  }
  closeSync(file);
  return create(path);
}

function create(path: string): number {
  const { file, partial } = createPrivateFile(path);
  try {
    renameSync(partial, path);
    return file;
  } catch (error) {
    closeSync(file);
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Removes what follows the first `length` bytes, and returns how many are left. */
function keep(file: number, length: number): number {
  const found = fstatSync(file);
  // Pipes and devices such as /dev/null cannot be truncated.
  if (!found.isFile()) return length;
  // Shorter if the file was deleted or moved in between. What it contained cannot be restored.
  const kept = Math.min(length, found.size);
  ftruncateSync(file, kept);
  return kept;
}

/** A write to a disk that is almost full may be incomplete without an error. */
function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}

const describe = (reject: Reject): string => {
  const column = reject.column === '' ? '' : `"${reject.column}" `;
  return `${column}${explainReject(reject)} (${reject.rule})`;
};
