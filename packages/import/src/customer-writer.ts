/**
 * Batches of records into the database, each with its checkpoint in one transaction. Survives the
 * database's restart: what was committed is asked for, the rest is sent again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError } from '@clientele/server';
import pg from 'pg';
import { ImportError } from './import-error.ts';
import {
  findCheckpoint,
  holdFingerprint,
  newCheckpoint,
  saveCheckpoint,
  type Checkpoint,
} from './checkpoint.ts';
import type { Reject } from './faults.ts';
import type { RejectFile } from './reject-file.ts';
import { createStaging, OvertakenError, stage, upsert, type Counts } from './upsert.ts';

export interface Batch {
  /** Lines for the staging table; the i-th ends at `ends[i]` and comes from line `sources[i]`. */
  rows: Buffer;
  ends: number[];
  sources: number[];
  read: number;
  rejected: number;
  rejects: Reject[];
  /** Where the next batch starts. */
  bytes: number;
  line: number;
}

export interface WriterOptions {
  databaseUrl: string;
  /** Same file, read the same way; left out where nothing can be continued. */
  fingerprint?: string | undefined;
  rejects: RejectFile;
  say: (line: string) => void;
}

/** How long a database that went away is waited for. */
const patienceMs = 300_000;

export class CustomerWriter {
  readonly #options: WriterOptions;
  readonly #fingerprint: string;
  #client: pg.Client | undefined;
  #checkpoint: Checkpoint | undefined;

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

  /** Commits a batch; afterwards the checkpoint holds it. */
  async write(batch: Batch): Promise<void> {
    const target = this.checkpoint.read + batch.read;
    let careful = false;
    let setbacks = 0;
    while (this.checkpoint.read !== target) {
      try {
        this.#checkpoint = await this.#transaction(batch, careful);
      } catch (error) {
        const code = (error as { code?: string }).code ?? '';
        const passing = error instanceof OvertakenError || code === '40P01' || code === '40001';
        const lost = isConnectionError(error);
        if (!careful && isDataError(code)) careful = true;
        else if (!(passing || lost) || (setbacks += 1) > 20) throw error;
        if (lost) await this.#reconnect(error);
        // Where this fails too, the next attempt finds out.
        else await this.#client!.query('rollback').catch(() => undefined);
      }
    }
  }

  async finish(): Promise<void> {
    for (;;) {
      try {
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

  async #transaction(batch: Batch, careful: boolean): Promise<Checkpoint> {
    const client = this.#client!;
    const before = this.checkpoint;
    const refused: Reject[] = [];
    await client.query('begin');
    const counts = careful
      ? await this.#stageCarefully(batch, 0, batch.ends.length, refused)
      : await this.#stage(batch.rows, batch.ends.length);
    const rejects = [...batch.rejects, ...refused];
    const now: Checkpoint = {
      ...before,
      bytes: batch.bytes,
      line: batch.line,
      read: before.read + batch.read,
      inserted: before.inserted + counts.inserted,
      updated: before.updated + counts.updated,
      unchanged: before.unchanged + counts.unchanged,
      deleted: before.deleted + counts.deleted,
      superseded: before.superseded + counts.superseded,
      rejected: before.rejected + batch.rejected + refused.length,
      rejectBytes: this.#options.rejects.write(before.rejectBytes, rejects),
    };
    await saveCheckpoint(client, now);
    await client.query('commit');
    return now;
  }

  async #stage(rows: Buffer, count: number): Promise<Counts> {
    if (count === 0) return noCounts;
    await stage(this.#client!, rows);
    return upsert(this.#client!, count);
  }

  /** Halves the batch around what the database refuses, in spite of our checks, until it stands alone. */
  async #stageCarefully(
    batch: Batch,
    from: number,
    to: number,
    refused: Reject[],
  ): Promise<Counts> {
    if (from === to) return noCounts;
    const client = this.#client!;
    await client.query('savepoint part');
    try {
      const rows = batch.rows.subarray(from === 0 ? 0 : batch.ends[from - 1]!, batch.ends[to - 1]);
      const counts = await this.#stage(rows, to - from);
      await client.query('delete from pg_temp.incoming; release savepoint part');
      return counts;
    } catch (error) {
      if (!isDataError((error as { code?: string }).code ?? '')) throw error;
      await client.query('rollback to savepoint part; release savepoint part');
    }
    if (to - from === 1) {
      refused.push({ line: batch.sources[from]!, column: '', rule: 'refused', value: '' });
      return noCounts;
    }
    const middle = (from + to) >> 1;
    const left = await this.#stageCarefully(batch, from, middle, refused);
    const right = await this.#stageCarefully(batch, middle, to, refused);
    return {
      inserted: left.inserted + right.inserted,
      updated: left.updated + right.updated,
      unchanged: left.unchanged + right.unchanged,
      deleted: left.deleted + right.deleted,
      superseded: left.superseded + right.superseded,
    };
  }

  async #reconnect(cause: unknown): Promise<void> {
    const { say } = this.#options;
    const until = performance.now() + patienceMs;
    say('The database went away. Trying again until it is back, for at most five minutes.');
    await this.close();
    for (let pause = 100; ; pause = Math.min(5_000, pause * 2)) {
      try {
        await this.#connect();
        say(`The database is back. Going on after ${this.checkpoint.read} records.`);
        return;
      } catch (error) {
        await this.close();
        if (!isConnectionError(error)) throw error;
        if (performance.now() > until) throw cause;
        await sleep(pause);
      }
    }
  }

  async #connect(): Promise<void> {
    const client = await connectAsWriter(this.#options.databaseUrl);
    this.#client = client;
    await holdFingerprint(client, this.#fingerprint);
    await createStaging(client);
    this.#checkpoint =
      (await findCheckpoint(client, this.#fingerprint)) ??
      (await newCheckpoint(client, this.#fingerprint));
  }
}

const noCounts: Counts = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, superseded: 0 };

/** PostgreSQL's classes: data exception, integrity constraint. */
const isDataError = (code: string): boolean => /^2[23]/.test(code);

/** Acts as clientele_writer, whoever signed in: a slip of ours can then do no more than import. */
export async function connectAsWriter(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'clientele import',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('set role clientele_writer');
    // Found by index, one by one, however large the table; and gone soon if this process is killed.
    await client.query(`
      set timezone = 'UTC';
      set datestyle = 'ISO';
      set work_mem = '64MB';
      set enable_hashjoin = off;
      set enable_mergejoin = off;
      set client_connection_check_interval = '5s';
      set idle_in_transaction_session_timeout = '60s'`);
  } catch (error) {
    await client.end();
    const { code } = error as { code?: string };
    if (code === '22023') {
      throw new ImportError('The database has no Clientele tables yet. Run: clientele migrate');
    }
    if (code === '42501') {
      throw new ImportError(
        'The user of DATABASE_URL may not import. The owner can allow it: grant clientele_writer to that_user',
      );
    }
    throw error;
  }
  return client;
}
