/** The CSV file that lists rejected records: line, column, rule, and optionally the value. */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { ImportError } from './import-error.ts';
import { rules, type Reject } from './faults.ts';

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
    this.#file ??= this.#open(length === 0 ? 'w' : 'a');
    // Shorter if the file was deleted or moved in between. What it contained cannot be restored.
    const kept = Math.min(length, fstatSync(this.#file).size);
    ftruncateSync(this.#file, kept);
    let text =
      kept === 0 ? `line,column,rule,explanation${this.#withValues ? ',value' : ''}\n` : '';
    for (const { line, column, rule, value } of rejects) {
      text += `${line},${cell(column)},${rule},${cell(rules[rule])}`;
      text += this.#withValues ? `,${cell(value)}\n` : '\n';
    }
    const bytes = Buffer.from(text);
    writeSync(this.#file, bytes, 0, bytes.length, kept);
    return kept + bytes.length;
  }

  #open(flags: 'w' | 'a'): number {
    try {
      return openSync(this.path, flags, 0o600);
    } catch (cause) {
      const { code } = cause as { code?: string };
      throw new ImportError(
        `Cannot write rejected records to ${this.path} (${code}). Choose another file with --rejects.`,
        { cause },
      );
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const cell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
