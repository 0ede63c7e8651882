/** Where rejected records are told: line, column, rule, and the value only if asked for. */
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
   * Writes behind the first `length` bytes, which are those of batches that were committed, and returns
   * the new length. Made only when there is something to tell.
   */
  write(length: number, rejects: readonly Reject[]): number {
    if (rejects.length === 0 && this.#file === undefined) return length;
    this.#file ??= this.#open(length === 0 ? 'w' : 'a');
    // Gone or moved since: what was in it cannot be told again.
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
      const what = `Cannot write the rejects to ${this.path} (${code}). Choose another place: --rejects`;
      throw new ImportError(what, { cause });
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const cell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
