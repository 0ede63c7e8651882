/** A batch of entries: the row of the audit, in the database and in the spool. */
import { hash, randomUUID } from 'node:crypto';

export interface Batch {
  chain: string;
  /** From 1, without gaps. */
  number: number;
  /** The hash of the chain's previous batch. */
  previous: Buffer;
  /** A JSON array. */
  entries: Buffer;
  /** 16 bytes for each customer that was shown, in the order of the entries. */
  customers: Buffer;
  hash: Buffer;
}

export type BatchContent = Pick<Batch, 'entries' | 'customers'>;

/** Where a chain ends. */
export interface ChainEnd {
  chain: string;
  number: number;
  hash: Buffer;
}

/** What the first batch of a chain has as the hash of its previous one. */
export const noHash = Buffer.alloc(32);

export const newChain = (chain: string = randomUUID()): ChainEnd => ({
  chain,
  number: 0,
  hash: noHash,
});

/** The batch that follows. */
export function nextBatch(end: ChainEnd, content: BatchContent): Batch {
  const numbered = { ...content, chain: end.chain, number: end.number + 1, previous: end.hash };
  return { ...numbered, hash: hashOf(numbered) };
}

/** Each part has a known length or its length before it, so that no two batches give the same bytes. */
export function hashOf({
  chain,
  number,
  previous,
  entries,
  customers,
}: Omit<Batch, 'hash'>): Buffer {
  const fixed = Buffer.allocUnsafe(60);
  previous.copy(fixed);
  fixed.write(chain.replaceAll('-', ''), 32, 'hex');
  fixed.writeBigUInt64BE(BigInt(number), 48);
  fixed.writeUInt32BE(entries.length, 56);
  return hash('sha256', Buffer.concat([fixed, entries, customers]), 'buffer');
}
