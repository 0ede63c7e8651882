/** The CSV file that lists rejected records: line, column, rule, and optionally the value. */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { guard, spreadsheetLine } from '@clientele/contract/spreadsheet';
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
      this.#file ??= openSync(this.path, 'a', 0o600);
      const kept = keep(this.#file, length);
      const bytes = Buffer.from((kept === 0 ? this.#header() : '') + this.#lines(rejects));
      writeAll(this.#file, bytes);
      return kept + bytes.length;
    } catch (cause) {
      const { code } = cause as { code?: string };
      throw new ImportError(
        `Cannot write rejected records to ${this.path} (${code}). Choose another file with --rejects.`,
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
