/** Records gathered into batches. */
import { copyLine } from './customer-row.ts';
import type { Batch } from './customer-writer.ts';
import type { Made } from './table.ts';

const mostBytes = 4_194_304;
/** No line is longer: every field is bounded, and escaping at most doubles it. */
const longestLine = 16_384;

export class BatchBuilder {
  readonly #size: number;
  readonly #numberOn: boolean;
  #batch: Batch = emptyBatch();
  // Text would live in the heap until the batch is written, and make it grow.
  #rows = Buffer.allocUnsafe(mostBytes);
  #length = 0;
  #position = 0;
  /** Which fields the latest record of each customer speaks of. */
  #given = new Map<string, number>();

  /** `numberOn`: positions go on from batch to batch, for batches that are merged together. */
  constructor(size: number, numberOn = false) {
    this.#size = size;
    this.#numberOn = numberOn;
  }

  get length(): number {
    return this.#batch.read;
  }

  get full(): boolean {
    return this.#batch.read >= this.#size || this.#length > mostBytes - longestLine;
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
    this.#length += this.#rows.write(copyLine(made, this.#position), this.#length);
    this.#position += 1;
    this.#given.set(copyOf(made.uuid), made.given);
    batch.ends.push(this.#length);
    batch.sources.push(record.line);
  }

  take(): Batch {
    const batch = { ...this.#batch, rows: Buffer.from(this.#rows.subarray(0, this.#length)) };
    this.#batch = emptyBatch();
    this.#length = 0;
    if (!this.#numberOn) this.#position = 0;
    this.#given.clear();
    return batch;
  }
}

const uuidBytes = Buffer.alloc(36);

/** A slice of a record would keep all of it in memory. */
function copyOf(uuid: string): string {
  return uuidBytes.toString('latin1', 0, uuidBytes.write(uuid, 'latin1'));
}

const emptyBatch = (): Batch => ({
  rows: Buffer.alloc(0),
  ends: [],
  sources: [],
  read: 0,
  rejected: 0,
  rejects: [],
  bytes: 0,
  line: 0,
});
