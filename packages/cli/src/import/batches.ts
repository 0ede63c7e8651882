/** Records gathered into batches. */
import { copyLine } from './customer-row.ts';
import type { Batch } from './customer-writer.ts';
import type { Made } from './table.ts';

const mostChars = 8_000_000;

export class BatchBuilder {
  readonly #size: number;
  #batch: Batch = emptyBatch();
  #chars = 0;
  /** Which fields the latest record of each customer speaks of. */
  #given = new Map<string, number>();

  constructor(size: number) {
    this.#size = size;
  }

  get length(): number {
    return this.#batch.read;
  }

  get full(): boolean {
    return this.#batch.read >= this.#size || this.#chars > mostChars;
  }

  /**
   * Whether the record may join. Of one customer's records in a batch only the last counts, so one
   * that leaves out what an earlier one says has to wait for that to be written.
   */
  fits({ made }: Made): boolean {
    if (Array.isArray(made)) return true;
    const given = this.#given.get(made.uuid);
    return given === undefined || given === made.given;
  }

  add({ record, made }: Made): void {
    const batch = this.#batch;
    batch.read += 1;
    batch.bytes = record.nextByte;
    batch.line = record.nextLine;
    if (Array.isArray(made)) {
      batch.rejected += 1;
      batch.rejects.push(...made);
      return;
    }
    const line = copyLine(made, batch.lines.length);
    this.#chars += line.length;
    this.#given.set(made.uuid, made.given);
    batch.lines.push(line);
    batch.sources.push(record.line);
  }

  take(): Batch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    this.#chars = 0;
    this.#given = new Map();
    return batch;
  }
}

const emptyBatch = (): Batch => ({
  lines: [],
  sources: [],
  read: 0,
  rejected: 0,
  rejects: [],
  bytes: 0,
  line: 0,
});
