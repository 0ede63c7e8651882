/** Collects parsed records into batches for COPY. */
import type { Screened, Suppressions } from '@clientele/directory';
import { copyLine, maxLineBytes } from './copy-line.ts';
import type { CustomerRow } from './customer-row.ts';
import type { Reject } from './faults.ts';
import { Layers } from './layers.ts';
import { RawRecords } from './raw-records.ts';
import type { ParsedRecord } from './table.ts';

export interface Batch {
  /** COPY lines; line i ends at byte `ends[i]`, and its record is number i of `raw`. */
  rows: Buffer;
  ends: number[];
  raw: RawRecords;
  /** Who may be suppressed; positions are indexes of `ends`. */
  screened: Screened | undefined;
  /** Whether each record is of another customer. */
  distinct: boolean;
  /** Whether a record deletes or erases. */
  deletes: boolean;
  /** How many steps it takes to merge the batch, see `upsert`. */
  layers: number;
  read: number;
  rejected: number;
  rejects: Reject[];
  /** Where the next batch starts. */
  bytes: number;
  line: number;
}

const maxBytes = 4_194_304;

export class BatchBuilder {
  readonly #size: number;
  readonly #suppressions: Suppressions;
  readonly #continuePositions: boolean;
  #batch: Batch = emptyBatch();
  // A buffer, because strings would stay on the heap until the batch is written.
  #rows = Buffer.allocUnsafe(maxBytes);
  #length = 0;
  #position = 0;
  readonly #layers = new Layers();

  /** `continuePositions`: number records across batches, for batches that are merged together. */
  constructor(size: number, suppressions: Suppressions, continuePositions = false) {
    this.#size = size;
    this.#suppressions = suppressions;
    this.#continuePositions = continuePositions;
  }

  get length(): number {
    return this.#batch.read;
  }

  get full(): boolean {
    return this.#batch.read >= this.#size || this.#length > maxBytes - maxLineBytes;
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
    const layer = this.#layers.of(result);
    batch.layers = Math.max(batch.layers, layer + 1);
    batch.deletes ||= result.op !== 'upsert';
    if (result.op === 'upsert') this.#screen(result);
    this.#length += this.#rows.write(copyLine(result, this.#position, layer), this.#length);
    this.#position += 1;
    batch.ends.push(this.#length);
    batch.raw.add(record);
  }

  take(): Batch {
    const batch = {
      ...this.#batch,
      rows: Buffer.from(this.#rows.subarray(0, this.#length)),
      distinct: this.#layers.customers === this.#batch.ends.length,
    };
    this.#batch = emptyBatch();
    this.#length = 0;
    if (!this.#continuePositions) this.#position = 0;
    this.#layers.clear();
    return batch;
  }

  /** Done here, and not before the batch is written, because the database may be busy with another one meanwhile. */
  #screen({ uuid, values }: CustomerRow): void {
    const { email_address: email = null, phone_number: phone = null } = values;
    this.#batch.screened ??= this.#suppressions.startScreening();
    this.#suppressions.screenOne(
      { uuid, email, phone },
      this.#batch.ends.length,
      this.#batch.screened,
    );
  }
}

const emptyBatch = (): Batch => ({
  rows: Buffer.alloc(0),
  ends: [],
  raw: new RawRecords(),
  screened: undefined,
  distinct: true,
  deletes: false,
  layers: 1,
  read: 0,
  rejected: 0,
  rejects: [],
  bytes: 0,
  line: 0,
});
