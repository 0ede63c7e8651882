/**
 * Writes batches, each in one transaction with its checkpoint. After a lost connection it reads the
 * checkpoint to learn whether the batch was committed, and sends it again if not.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EraseOptions,
  isConnectionError,
  isExhausted,
  keepErasures,
  Suppressions,
} from '@clientele/directory';
import type pg from 'pg';
import type { Batch } from './batch-builder.ts';
import {
  finishCheckpoint,
  lockFingerprint,
  readCheckpoint,
  saveCheckpoint,
  type Checkpoint,
  type Refused,
} from './checkpoint.ts';
import { connectAsWriter } from './connect-as-writer.ts';
import { addCounts } from './counts.ts';
import { readErased } from './erased-records.ts';
import type { Reject } from './faults.ts';
import { FirstImport, repairFirstImport } from './first-import.ts';
import { readIdNamespace } from './id-namespace.ts';
import { ImportError } from './import-error.ts';
import { insertBatch } from './insert-batch.ts';
import type { Prefix } from './prefix.ts';
import type { RejectFile } from './reject-file.ts';
import { resumeOrBegin } from './resume.ts';
import { isDataError, stageAcceptedRecords, stageBatch } from './stage-batch.ts';
import { markChecked, takeSuppressed } from './suppressed-records.ts';
import { ConcurrentInsertError, createStaging } from './upsert.ts';

export interface WriterOptions {
  databaseUrl: string;
  /** Has the key by which erased people are recognised. Needed once somebody was erased. */
  secretFile?: string | undefined;
  /** For a feed that erases people: what keeps them out later. */
  erasing?: Omit<EraseOptions, 'reason'> | undefined;
  /** Identifies a file and how it is read, to resume it. Undefined where resuming is impossible. */
  fingerprint?: string | undefined;
  /** Do not resume an interrupted run. */
  fromStart?: boolean | undefined;
  /** The part of the file that is committed. If it has changed, the file is read from the start. */
  prefix?: Prefix | undefined;
  rejects: RejectFile;
  /**
   * A feed is in the order of the changes. Records of a file are not; into an empty directory they are
   * written without the trigram index, which `finish` builds.
   */
  kind: 'file' | 'feed';
  log: (line: string) => void;
}

const reconnectTimeoutMs = 300_000;
const maxRetries = 20;
/** Each time, a batch is sent twice. */
const maxInsertFailures = 5;

export class CustomerWriter {
  readonly #options: WriterOptions;
  readonly #fingerprint: string;
  #client: pg.Client | undefined;
  #checkpoint: Checkpoint | undefined;
  #idNamespace: Buffer | undefined;
  #first: FirstImport | undefined;
  #suppressions: Suppressions | undefined;
  #insertFailures = 0;

  private constructor(options: WriterOptions) {
    this.#options = options;
    this.#fingerprint = options.fingerprint ?? randomUUID();
  }

  static async open(options: WriterOptions): Promise<CustomerWriter> {
    const writer = new CustomerWriter(options);
    try {
      await writer.#connect();
    } catch (error) {
      await writer.close();
      throw error;
    }
    return writer;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint!;
  }

  get suppressions(): Suppressions {
    return this.#suppressions!;
  }

  /** In which UUIDs are derived from other identifiers. */
  get idNamespace(): Buffer {
    return this.#idNamespace!;
  }

  /** A feed from a pipe cannot start again, so it continues if the table is emptied. */
  get #onceOnly(): boolean {
    return this.#options.kind === 'feed' && this.#options.fingerprint === undefined;
  }

  /** Commits a batch and moves the checkpoint past it. */
  async write(batch: Batch): Promise<void> {
    const target = this.checkpoint.read + batch.read;
    let how: 'insert' | 'merge' | 'bisect' =
      this.#first && this.#insertFailures < maxInsertFailures ? 'insert' : 'merge';
    let retries = 0;
    while (this.checkpoint.read !== target) {
      try {
        this.#checkpoint = await this.#transaction(batch, how);
      } catch (error) {
        const disconnected = isDisconnected(error);
        if (how !== 'bisect' && isDataError(error)) {
          if (how === 'insert') this.#insertFailures += 1;
          how = how === 'insert' ? 'merge' : 'bisect';
        } else if (!(disconnected || isConflict(error)) || (retries += 1) > maxRetries) throw error;
        if (disconnected) await this.#reconnect(error);
        // If the rollback fails too, the next attempt reports why.
        else await this.#client!.query('rollback').catch(() => undefined);
      }
    }
  }

  /** `moreFollows`: more files will be imported, so the index is left to the last of them. */
  async finish({ moreFollows = false } = {}): Promise<void> {
    for (let retries = 0; ; retries += 1) {
      try {
        if (!moreFollows) await this.#first?.finish(this.#options.log);
        const current = await finishCheckpoint(this.#client!, this.checkpoint.id);
        if (!current && !this.#onceOnly) throw emptied();
        return;
      } catch (error) {
        if (!isDisconnected(error) || retries === maxRetries) throw error;
        await this.#reconnect(error);
      }
    }
  }

  /** The list of rejected records is that long, because it was written again. */
  async setRejectBytes(rejectBytes: number): Promise<void> {
    this.#checkpoint = { ...this.checkpoint, rejectBytes };
    await saveCheckpoint(this.#client!, this.#checkpoint);
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => undefined);
  }

  async #transaction(given: Batch, how: 'insert' | 'merge' | 'bisect'): Promise<Checkpoint> {
    const client = this.#client!;
    const before = this.checkpoint;
    const feed = this.#options.kind === 'feed';
    const refused: Reject[] = [];
    await client.query(`begin; select clientele.lock_deletes(${given.deletes}); ${markChecked}`);
    const { batch, suppressed } = await takeSuppressed(client, this.suppressions, given);
    const erased = await readErased(client, batch);
    const counts =
      how === 'bisect'
        ? await stageAcceptedRecords(client, batch, feed, refused)
        : ((how === 'insert' ? await insertBatch(client, batch) : undefined) ??
          (await stageBatch(client, batch, feed)));
    const after: Checkpoint = {
      ...before,
      ...this.#options.rejects.append(before, [...batch.rejects, ...refused]),
      ...addCounts(before, { ...counts, suppressed: counts.suppressed + suppressed }),
      bytes: batch.bytes,
      line: batch.line,
      read: before.read + batch.read,
      rejected: before.rejected + batch.rejected + refused.length,
      prefixHash: this.#options.prefix?.hash(batch.bytes) ?? null,
    };
    const current = await saveCheckpoint(client, after, feed ? {} : byLine(refused));
    if (erased.length > 0) await keepErasures(client, erased, this.#options.erasing ?? {});
    if (!current && !this.#onceOnly) throw emptied();
    await client.query('commit');
    return after;
  }

  async #reconnect(cause: unknown): Promise<void> {
    const { log } = this.#options;
    const deadline = performance.now() + reconnectTimeoutMs;
    log('Lost the connection to the database. Retrying for up to five minutes.');
    await this.close();
    for (let pause = 100; ; pause = Math.min(5_000, pause * 2)) {
      try {
        await this.#connect();
        log(`Reconnected to the database. Resuming after ${this.checkpoint.read} records.`);
        return;
      } catch (error) {
        await this.close();
        if (!isDisconnected(error)) throw error;
        if (performance.now() > deadline) throw cause;
        await sleep(pause);
      }
    }
  }

  async #connect(): Promise<void> {
    const client = await connectAsWriter(this.#options.databaseUrl);
    this.#client = client;
    await lockFingerprint(client, this.#fingerprint);
    this.#suppressions ??= await Suppressions.open(client, this.#options.secretFile);
    if (this.#options.kind === 'file') this.#first = await FirstImport.join(client);
    else await repairFirstImport(client, this.#options.log);
    await createStaging(client);
    this.#idNamespace ??= await readIdNamespace(client);
    this.#checkpoint = this.#checkpoint
      ? await readCheckpoint(client, this.#checkpoint.id)
      : await resumeOrBegin(client, this.#fingerprint, this.#options);
  }
}

const byLine = (refused: readonly Reject[]): Refused =>
  Object.fromEntries(refused.map(({ line, detail = '' }) => [line, detail]));

const emptied = (): ImportError =>
  new ImportError(
    'The table of customers was emptied while this file was read. Run the command again to read it from the start.',
  );

const isDisconnected = (error: unknown): boolean => isConnectionError(error) && !isExhausted(error);

/** Another session got in the way; the same batch may succeed when it is sent again. */
function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string };
  const [deadlock, serializationFailure] = ['40P01', '40001'];
  return (
    error instanceof ConcurrentInsertError || code === deadlock || code === serializationFailure
  );
}
