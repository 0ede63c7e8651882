/** Stores the batches of chains in the primary, in order, also when a failover has lost the latest of them. */
import { hash } from 'node:crypto';
import { codeOf } from '../db/error-code.ts';
import type { Queries } from '../db/nodes.ts';
import { newChain, nextBatch, type Batch, type ChainEnd } from './batch.ts';
import { storeBatch } from './store.ts';

/** Recent batches are kept, because the next primary may lack the last ones that this one accepted. */
const mostRecentBytes = 4_000_000;

/** The primary holds another batch of this number, or another end of the chain. */
const isConflict = (error: unknown): boolean => codeOf(error) === '23000';

export class ChainStore {
  readonly #primary: Queries;
  #recent: Batch[] = [];
  #recentBytes = 0;
  #stored: ChainEnd | undefined;

  constructor(primary: Queries) {
    this.#primary = primary;
  }

  /** The last batch of this process's chain that the primary has. */
  get stored(): ChainEnd | undefined {
    return this.#stored;
  }

  /** Stores the batch of this process, and returns where its chain ends: another one if it cannot be continued. */
  async store(batch: Batch): Promise<ChainEnd> {
    const stored = await this.#storeOrRefill(batch);
    const end = stored ? batch : await this.#startOver(batch);
    this.remember(end);
    this.#stored = end;
    return end;
  }

  /** Batches that follow each other, such as those of a file. */
  async storeAll(batches: AsyncIterable<Batch>): Promise<void> {
    let other: ChainEnd | undefined;
    for await (const batch of batches) {
      if (!other && (await this.#storeOrRefill(batch))) {
        if (this.#isOwn(batch)) this.#stored = batch;
        continue;
      }
      // The same whenever it is tried again, so that no entry is stored twice.
      other ??= newChain(chainAfter(batch));
      const next = nextBatch(other, batch);
      await storeBatch(this.#primary, next);
      other = next;
      if (this.#isOwn(batch)) this.#stored = next;
    }
  }

  /** Stores the batches in memory that follow the last one the primary has. */
  async storeRecent(): Promise<void> {
    const { chain, number = 0 } = this.#stored ?? {};
    const lacking = this.#recent.filter((batch) => batch.chain !== chain || batch.number > number);
    for (const batch of lacking) if (await this.#storeOrRefill(batch)) this.#stored = batch;
  }

  /** Keeps a batch for a primary that lacks it. */
  remember(batch: ChainEnd | Batch): void {
    if (!('entries' in batch) || this.#recent.at(-1) === batch) return;
    this.#recent.push(batch);
    this.#recentBytes += sizeOf(batch);
    while (this.#recentBytes > mostRecentBytes && this.#recent.length > 1) {
      this.#recentBytes -= sizeOf(this.#recent.shift()!);
    }
  }

  #isOwn({ chain }: Batch): boolean {
    return this.#recent.at(-1)?.chain === chain;
  }

  /** False if the chain cannot be continued. */
  async #storeOrRefill(batch: Batch): Promise<boolean> {
    try {
      const last = await storeBatch(this.#primary, batch);
      if (last >= batch.number) return true;
      const missing = this.#recent.filter(
        ({ chain, number }) => chain === batch.chain && number > last && number < batch.number,
      );
      if (missing.length < batch.number - last - 1) return false;
      for (const each of missing) await storeBatch(this.#primary, each);
      return (await storeBatch(this.#primary, batch)) >= batch.number;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  async #startOver(batch: Batch): Promise<Batch> {
    const first = nextBatch(newChain(chainAfter(batch)), batch);
    await storeBatch(this.#primary, first);
    return first;
  }
}

const sizeOf = ({ entries, customers }: Batch): number => entries.length + customers.length + 200;

/** The name of a chain that begins with this batch. */
function chainAfter({ chain, number }: Batch): string {
  const hex = hash('sha256', `${chain} ${number}`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
