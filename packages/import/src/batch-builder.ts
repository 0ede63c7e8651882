/** Collects parsed records into batches for COPY. */
import { copyLine } from './customer-row.ts';
import type { Reject } from './faults.ts';
import type { ParsedRecord } from './table.ts';

export interface Batch {
  /** COPY lines; line i ends at byte `ends[i]` and comes from line `sources[i]` of the file. */
  rows: Buffer;
  ends: number[];
  sources: number[];
  /** Whether each record is of another customer. */
  distinct: boolean;
  read: number;
  rejected: number;
  rejects: Reject[];
  /** Where the next batch starts. */
  bytes: number;
  line: number;
}

const maxBytes = 4_194_304;
/** An upper bound: every field has a maximum length, and escaping at most doubles it. */
const maxLineBytes = 16_384;

export class BatchBuilder {
  readonly #size: number;
  readonly #continuePositions: boolean;
  #batch: Batch = emptyBatch();
  // A buffer, because strings would stay on the heap until the batch is written.
  #rows = Buffer.allocUnsafe(maxBytes);
  #length = 0;
  #position = 0;
  /** The fields given by the latest record of each customer in this batch. */
  #given = new Map<string, number>();

  /** `continuePositions`: number records across batches, for batches that are merged together. */
  constructor(size: number, continuePositions = false) {
    this.#size = size;
    this.#continuePositions = continuePositions;
  }

  get length(): number {
    return this.#batch.read;
  }

  get full(): boolean {
    return this.#batch.read >= this.#size || this.#length > maxBytes - maxLineBytes;
  }

  /**
   * Whether the record may join the batch. Only the last record of a customer in a batch is applied, so
   * one that gives other fields than an earlier one must wait until that one is written.
   */
  fits({ result }: ParsedRecord): boolean {
    if (Array.isArray(result)) return true;
    const given = this.#given.get(result.uuid);
    return given === undefined || given === result.given;
  }

  add({ record, result }: ParsedRecord): void {
    const batch = this.#batch;
    batch.read += 1;
    batch.bytes = record.nextByte;
    batch.line = record.nextLine;
    if (Array.isArray(result)) {
      batch.rejected += 1;
      batch.rejects.push(...result);
      return;
    }
    this.#length += this.#rows.write(copyLine(result, this.#position), this.#length);
    this.#position += 1;
    this.#given.set(detachedCopy(result.uuid), result.given);
    batch.ends.push(this.#length);
    batch.sources.push(record.line);
  }

  take(): Batch {
    const batch = {
      ...this.#batch,
      rows: Buffer.from(this.#rows.subarray(0, this.#length)),
      distinct: this.#given.size === this.#batch.ends.length,
    };
    this.#batch = emptyBatch();
    this.#length = 0;
    if (!this.#continuePositions) this.#position = 0;
    this.#given.clear();
    return batch;
  }
}

const uuidBytes = Buffer.alloc(36);

/** V8 keeps the whole record in memory as long as a slice of it is referenced. */
function detachedCopy(uuid: string): string {
  return uuidBytes.toString('latin1', 0, uuidBytes.write(uuid, 'latin1'));
}

const emptyBatch = (): Batch => ({
  rows: Buffer.alloc(0),
  ends: [],
  sources: [],
  distinct: true,
  read: 0,
  rejected: 0,
  rejects: [],
  bytes: 0,
  line: 0,
});
