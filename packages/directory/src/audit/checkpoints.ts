/**
 * Once a minute, the end of the chain is signed, stored and written to the log. Where the log leaves the host, not
 * even the owner of the database can rewrite what was recorded before. Ends of chains whose process has died
 * are signed by another one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queries } from '../db/nodes.ts';
import type { ChainEnd } from './batch.ts';
import { idsOf, isSigned, signText, type PublicKey, type Secret } from '../settings/secret.ts';
import type { Logger } from './logger.ts';
import { uncheckedChains } from './store.ts';

/** As it is in the log, under `audit_checkpoint`. */
export interface Checkpoint {
  chain: string;
  number: number;
  /** In hexadecimal digits. */
  hash: string;
  at: string;
  /** The id of the public key, and the signature in base64; null if the instance has no secret. */
  key: string | null;
  signature: string | null;
}

const everyMs = 60_000;

export interface CheckpointOptions {
  primary: Queries;
  log: Pick<Logger, 'info' | 'warn'>;
  secret?: Secret | undefined;
  /** The end of this process's chain in the primary. */
  end: () => ChainEnd | undefined;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  #checked = '';

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  async keepChecking(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.check({ others: true });
    }
  }

  /** Without a primary, the next one vouches for this end too. */
  async check({ others }: { others: boolean }): Promise<void> {
    const end = this.#options.end();
    const name = end ? `${end.chain} ${end.number}` : '';
    try {
      if (end && name !== this.#checked) {
        await this.#vouchFor(end);
        this.#checked = name;
      }
      if (!others) return;
      for (const other of await uncheckedChains(this.#options.primary)) await this.#vouchFor(other);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'no checkpoint of the audit could be stored');
    }
  }

  async #vouchFor({ chain, number, hash }: ChainEnd): Promise<void> {
    const { primary, log, secret } = this.#options;
    const at = new Date().toISOString();
    const statement = { chain, number, hash: hash.toString('hex'), at };
    const signature = secret ? signText(signedText(statement), secret) : null;
    const key = secret?.publicKey.id ?? null;
    const checkpoint: Checkpoint = {
      ...statement,
      key,
      signature: signature?.toString('base64') ?? null,
    };
    log.info({ audit_checkpoint: checkpoint }, 'audit checkpoint');
    await primary.query(
      {
        name: 'append-audit-checkpoint',
        text: 'select clientele.append_audit_checkpoint($1, $2, $3, $4, $5, $6)',
      },
      [chain, number, hash, at, key, signature],
    );
  }
}

const signedText = ({ chain, number, hash, at }: Omit<Checkpoint, 'key' | 'signature'>): string =>
  `clientele audit checkpoint\n${chain}\n${number}\n${hash}\n${at}\n`;

export const isGenuine = (checkpoint: Checkpoint, key: PublicKey): boolean =>
  checkpoint.key !== null &&
  idsOf(key).includes(checkpoint.key) &&
  checkpoint.signature !== null &&
  isSigned(signedText(checkpoint), Buffer.from(checkpoint.signature, 'base64'), key);
