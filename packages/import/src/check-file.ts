/** Reads and merges a whole file like `importFile`, but into copies: nothing is written. */
import { Suppressions } from '@clientele/directory';
import type pg from 'pg';
import { BatchBuilder, type Batch } from './batch-builder.ts';
import { connectAsWriter } from './connect-as-writer.ts';
import { addTallies, noTally, type Counts, type Tally } from './counts.ts';
import { CustomersCopy } from './customers-copy.ts';
import { endOnAbort } from './end-on-abort.ts';
import type { Reject } from './faults.ts';
import { readIdNamespace } from './id-namespace.ts';
import { inBatches } from './in-batches.ts';
import type { RejectFile } from './reject-file.ts';
import { isDataError, stageAcceptedRecords } from './stage-batch.ts';
import { logNotes, logWarnings, type Table } from './table.ts';
import { takeSuppressed } from './suppressed-records.ts';
import { createStaging, stage, upsert } from './upsert.ts';

export interface CheckOptions {
  batchSize: number;
  /** The time of records without `updated_at`; `now` is the start of the check. */
  asOf: string | undefined;
  rejects: RejectFile;
  log: (line: string) => void;
  onProgress: (tally: Tally) => void;
  /** On abort, the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
}

/** A session in which several files can be checked, each after the ones before it. */
export class ImportCheck {
  readonly #client: pg.Client;
  readonly #copy: CustomersCopy;
  readonly #suppressions: Suppressions;
  #refused = 0;

  private constructor(client: pg.Client, copy: CustomersCopy, suppressions: Suppressions) {
    this.#client = client;
    this.#copy = copy;
    this.#suppressions = suppressions;
  }

  static async open(databaseUrl: string, secretFile?: string): Promise<ImportCheck> {
    const client = await connectAsWriter(databaseUrl);
    try {
      const suppressions = await Suppressions.open(client, secretFile);
      await createStaging(client);
      return new ImportCheck(client, await CustomersCopy.create(client), suppressions);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** How many of the rejected records the database refuses. */
  get refused(): number {
    return this.#refused;
  }

  async check(table: Table, options: CheckOptions): Promise<Tally> {
    const { batchSize, rejects, log, onProgress, signal } = options;
    logNotes(table, log);
    rejects.useLayout(table.rejectLayout);
    const asOf = options.asOf === 'now' ? new Date().toISOString() : options.asOf;
    const records = table.read(table.start, {
      namespace: await readIdNamespace(this.#client),
      asOf: asOf === undefined ? undefined : () => asOf,
    });
    let tally: Tally = noTally;
    let rejectBytes = 0;
    const merge = async (batch: Batch): Promise<void> => {
      const { counts, refused } = await this.#merge(batch);
      rejectBytes = rejects.write(rejectBytes, [...batch.rejects, ...refused]);
      this.#refused += refused.length;
      const rejected = batch.rejected + refused.length;
      tally = addTallies(tally, { ...counts, read: batch.read, rejected });
      onProgress(tally);
    };
    // The next batch is read and validated while this one is merged.
    let merging = Promise.resolve();
    const next = async (batch: Batch): Promise<void> => {
      await merging;
      merging = merge(batch);
      merging.catch(() => undefined); // The next await throws it.
    };
    const builder = new BatchBuilder(batchSize, this.#suppressions);
    await endOnAbort(this.#client, signal, async () => {
      await inBatches(records, builder, next, { signal });
      await merging;
      signal?.throwIfAborted();
    });
    rejects.close();
    logWarnings(table, log);
    return tally;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #merge(given: Batch): Promise<{ counts: Counts; refused: Reject[] }> {
    const refused: Reject[] = [];
    const client = this.#client;
    await client.query('begin');
    const { batch, suppressed } = await takeSuppressed(client, this.#suppressions, given);
    await stage(client, batch.rows);
    await this.#copy.loadStaged();
    await client.query('savepoint loaded');
    let counts: Counts;
    try {
      const records = batch.ends.length;
      counts = await upsert(this.#copy.client, { records, layers: batch.layers });
    } catch (error) {
      if (!isDataError(error)) throw error;
      await client.query('rollback to savepoint loaded; delete from pg_temp.incoming');
      counts = await stageAcceptedRecords(this.#copy.client, batch, false, refused);
    }
    await client.query('commit');
    return { counts: { ...counts, suppressed: counts.suppressed + suppressed }, refused };
  }
}
