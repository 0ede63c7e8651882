/** The CSV file that lists rejected records: line, column, rule, and optionally the value. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { guard, spreadsheetLine } from '@clientele/contract/spreadsheet';
import { createPrivateFile } from '@clientele/server';
import { ImportError } from './import-error.ts';
import { explainReject, type Reject } from './faults.ts';

export class RejectFile {
  readonly path: string;
  readonly #withValues: boolean;
  #file: number | undefined;

  constructor(path: string, withValues: boolean) {
    this.path = path;
    this.#withValues = withValues;
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
      const bytes = Buffer.from((kept === 0 ? this.#header() : '') + this.#lines(rejects));
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

  #header(): string {
    return `line,column,rule${this.#withValues ? ',value' : ''},explanation\n`;
  }

  #lines(rejects: readonly Reject[]): string {
    const lines = rejects.map((reject) => {
      const { line, column, rule, value } = reject;
      const values = this.#withValues ? [guard(value) || null] : [];
      const cells = [String(line), guard(column) || null, rule, ...values, explainReject(reject)];
      return `${spreadsheetLine(cells)}\n`;
    });
    return lines.join('');
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
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
