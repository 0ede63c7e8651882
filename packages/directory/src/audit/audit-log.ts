/**
 * Records answers before they are sent. Entries that arrive while a batch is being written form the next batch.
 * While the primary is away, batches go to the spool, and from there to the primary when it is back.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Queries } from '../db/nodes.ts';
import { joined, ownBuffer } from '../memory/own-buffer.ts';
import { newChain, nextBatch, type Batch, type BatchContent, type ChainEnd } from './batch.ts';
import { toJson, type AuditEntry } from './entry.ts';
import { ChainStore } from './chain-store.ts';
import type { Logger } from './logger.ts';
import { SpoolError, type Spool } from './spool.ts';

/** The answer cannot be recorded, so it must not be sent. */
export class AuditUnavailableError extends Error {
  override readonly name = 'AuditUnavailableError';
}

export interface AuditLogOptions {
  primary: Queries;
  log: Logger;
  /** Undefined where nothing can be written to the disk. */
  spool?: Spool | undefined;
  searchKey?: Buffer | undefined;
  /** How many requests are being answered now, whose entries will follow. */
  underway: () => number;
}

interface Waiting {
  json: string;
  customers: Buffer;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The first entry of a batch may exceed it. */
const mostBatchBytes = 1_000_000;
/** How long the first entry of a batch waits at most, in milliseconds. */
const gatherMs = 1;
const retryMs = 500;
const adoptEveryMs = 10_000;

export class AuditLog {
  /** Entries by what became of them: in the primary, on the disk, or the answer was refused. */
  readonly tally = { stored: 0, spooled: 0, refused: 0 };
  readonly #options: AuditLogOptions;
  readonly #chains: ChainStore;
  readonly #closing = new AbortController();
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #end: ChainEnd = newChain();
  /** A batch that the primary and the spool failed to accept: either may have it, so it has to be settled first. */
  #unsettled: Batch | undefined;
  #away = false;
  /** Appending to the spool and leaving it exclude each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#chains = new ChainStore(options.primary);
  }

  /** The last batch that the primary has. */
  get stored(): ChainEnd | undefined {
    return this.#chains.stored;
  }

  get spooledBytes(): number {
    return this.#options.spool?.bytes ?? 0;
  }

  /** Resolves when the entry is safe; rejects with AuditUnavailableError if it is not. */
  record(entry: AuditEntry): Promise<void> {
    const json = toJson(entry, new Date(), this.#options.searchKey);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ json, customers: entry.customers, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Stores what instances that died have left in the spool, now and then until the log is closed. */
  async keepAdopting(): Promise<void> {
    const { spool, log } = this.#options;
    if (!spool) return;
    while (!this.#closing.signal.aborted) {
      try {
        const { files, damaged } = await spool.adopt((batches) => this.#chains.storeAll(batches));
        if (files > 0)
          log.info({ files }, 'stored the audit entries that another instance had left');
        for (const file of damaged) log.error({ file }, damage);
      } catch {
        // The primary is away, which is reported elsewhere.
      }
      await this.#pause(adoptEveryMs);
    }
  }

  /** Writes what is waiting. What is in the spool stays there. */
  async close(): Promise<void> {
    await this.#writing;
    this.#closing.abort();
    await this.#turn.catch(() => undefined);
    await this.#options.spool?.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const taken = this.#take();
      try {
        await this.#save(contentOf(taken));
        this.tally[this.#away ? 'spooled' : 'stored'] += taken.length;
        for (const { resolve } of taken) resolve();
      } catch (cause) {
        this.tally.refused += taken.length;
        const error = new AuditUnavailableError(undefined, { cause });
        for (const { reject } of taken) reject(error);
      }
    }
    // In the same turn: an entry that arrives from now on starts the next round.
    this.#writing = undefined;
  }

  /** Waits a moment for the entries of requests that are being answered: a batch for each would cost more. */
  async #gather(): Promise<void> {
    const { underway } = this.#options;
    const until = performance.now() + gatherMs;
    while (underway() > 0 && performance.now() < until) await nextTurn();
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { json, customers } of this.#waiting) {
      bytes += json.length + customers.length;
      if (count > 0 && bytes > mostBatchBytes) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #save(content: BatchContent): Promise<void> {
    if (this.#away && (await this.#exclusively(() => this.#spool(content)))) return;
    const batch = nextBatch(this.#end, content);
    try {
      this.#end = await this.#chains.store(batch);
      return;
    } catch (error) {
      this.#leavePrimary(error);
      this.#unsettled = batch;
      this.#end = batch;
    }
    await this.#exclusively(() => this.#settle());
  }

  /** False if the primary came back while this waited for its turn: what is spooled after that would stay there. */
  async #spool(content: BatchContent): Promise<boolean> {
    if (!this.#away) return false;
    await this.#settle();
    this.#unsettled = nextBatch(this.#end, content);
    this.#end = this.#unsettled;
    await this.#settle();
    return true;
  }

  /** Puts the unsettled batch into the spool. */
  async #settle(): Promise<void> {
    if (!this.#unsettled) return;
    const { spool } = this.#options;
    if (!spool) throw new AuditUnavailableError('there is no spool');
    await spool.append(this.#unsettled);
    this.#chains.remember(this.#unsettled);
    this.#unsettled = undefined;
  }

  #leavePrimary(error: unknown): void {
    const { log, spool } = this.#options;
    this.#away = true;
    const until = spool
      ? 'entries are kept on this disk until it can'
      : 'responses about customers are refused until it can';
    log.error({ err: error }, `the primary cannot record who reads which customers; ${until}`);
    void this.#returnToPrimary();
  }

  async #returnToPrimary(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#pause(retryMs);
      try {
        if (!(await this.#drain())) continue;
        this.#options.log.info('the primary records again who reads which customers');
        return;
      } catch {
        // It is still away.
      }
    }
  }

  /** Whether the primary has everything. */
  async #drain(): Promise<boolean> {
    const { spool } = this.#options;
    // Most of it while further batches are appended; the rest while none is.
    if (spool) await this.#chains.storeAll(spool.unstored()).catch(unlessDamaged);
    return this.#exclusively(async () => {
      if (spool) await this.#storeRest(spool);
      if (this.#unsettled) {
        await this.#chains.store(this.#unsettled);
        this.#unsettled = undefined;
      }
      if (spool && !(await spool.clear())) return false;
      // A chain that the primary has lost the end of is not continued.
      this.#end = this.#chains.stored ?? this.#end;
      this.#away = false;
      return true;
    });
  }

  /** A file that cannot be read is left behind. What it had may still be in memory. */
  async #storeRest(spool: Spool): Promise<void> {
    try {
      await this.#chains.storeAll(spool.unstored());
    } catch (error) {
      unlessDamaged(error);
      await this.#chains.storeRecent();
      this.#options.log.error({ file: await spool.setAside() }, damage);
    }
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

const damage = 'a file of audit entries is damaged; what can be read of it was stored';

function unlessDamaged(error: unknown): void {
  if (!(error instanceof SpoolError)) throw error;
}

function contentOf(taken: readonly Waiting[]): BatchContent {
  const entries = ownBuffer(`[${taken.map(({ json }) => json).join(',')}]`);
  return { entries, customers: joined(taken.map(({ customers }) => customers)) };
}
