/** What is verified, and what is found. */
import type { Checkpoint } from './checkpoints.ts';
import type { PublicKey } from '../settings/secret.ts';

export interface VerifyOptions {
  /** Without it, signatures are not checked. */
  publicKey?: PublicKey | undefined;
  /** From the log, which the owner of the database cannot change. */
  checkpoints?: readonly Checkpoint[];
  /** Files of the spool that have lines which cannot be read. */
  damagedFiles?: readonly string[];
}

export interface AuditReport {
  chains: number;
  batches: number;
  entries: number;
  /** Checkpoints with a signature that is right, and those without any. */
  signed: number;
  unsigned: number;
  /** Batches after the last signed checkpoint of their chain. */
  uncovered: number;
  /** The first month that has to be there, as the owner has set it: whoever shortens it can drop entries. */
  keptSince: string;
  problems: string[];
}
