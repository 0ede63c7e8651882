/**
 * Writes batches, each in one transaction with its checkpoint. After a lost connection it reads the
 * checkpoint to learn whether the batch was committed, and sends it again if not.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError } from '@clientele/server';
import type pg from 'pg';
import type { Batch } from './batch-builder.ts';
import {
  findCheckpoint,
  lockFingerprint,
  newCheckpoint,
  saveCheckpoint,
  type Checkpoint,
} from './checkpoint.ts';
import { connectAsWriter } from './connect-as-writer.ts';
import type { Reject } from './faults.ts';
import { FirstImport, repairFirstImport } from './first-import.ts';
import { insertBatch } from './insert-batch.ts';
import type { RejectFile } from './reject-file.ts';
import { addCounts, isDataError, stageAcceptedRecords, stageBatch } from './stage-batch.ts';
import { ConcurrentInsertError, createStaging } from './upsert.ts';

export interface WriterOptions {
  databaseUrl: string;
  /** Identifies a file and how it is read, to resume it. Undefined where resuming is impossible. */
  fingerprint?: string | undefined;
  rejects: RejectFile;
  /** Whether to write without the trigram index if the directory is empty; `finish` builds it. */
  deferIndex: boolean;
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
  #first: FirstImport | undefined;
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
        const disconnected = isConnectionError(error);
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
    for (;;) {
      try {
        if (!moreFollows) await this.#first?.finish(this.#options.log);
        await this.#client!.query(
          'update clientele.imports set finished_at = now() where id = $1',
          [this.checkpoint.id],
        );
        return;
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        await this.#reconnect(error);
      }
    }
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => undefined);
  }

  async #transaction(batch: Batch, how: 'insert' | 'merge' | 'bisect'): Promise<Checkpoint> {
    const client = this.#client!;
    const before = this.checkpoint;
    const refused: Reject[] = [];
    await client.query('begin');
    const counts =
      how === 'bisect'
        ? await stageAcceptedRecords(client, batch, refused)
        : ((how === 'insert' ? await insertBatch(client, batch) : undefined) ??
          (await stageBatch(client, batch)));
    const rejects = [...batch.rejects, ...refused];
    const after: Checkpoint = {
      ...before,
      ...addCounts(before, counts),
      bytes: batch.bytes,
      line: batch.line,
      read: before.read + batch.read,
      rejected: before.rejected + batch.rejected + refused.length,
      rejectBytes: this.#options.rejects.write(before.rejectBytes, rejects),
    };
    await saveCheckpoint(client, after);
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
        if (!isConnectionError(error)) throw error;
        if (performance.now() > deadline) throw cause;
        await sleep(pause);
      }
    }
  }

  async #connect(): Promise<void> {
    const client = await connectAsWriter(this.#options.databaseUrl);
    this.#client = client;
    await lockFingerprint(client, this.#fingerprint);
    if (this.#options.deferIndex) this.#first = await FirstImport.join(client);
    else await repairFirstImport(client, this.#options.log);
    await createStaging(client);
    this.#checkpoint =
      (await findCheckpoint(client, this.#fingerprint)) ??
      (await newCheckpoint(client, this.#fingerprint));
  }
}

/** Another session got in the way; the same batch may succeed when it is sent again. */
function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string };
  const [deadlock, serializationFailure] = ['40P01', '40001'];
  return (
    error instanceof ConcurrentInsertError || code === deadlock || code === serializationFailure
  );
}
