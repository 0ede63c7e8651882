/** The settings of the read audit. */
import type { Secret } from './secret.ts';

export interface AuditConfig {
  /** The folder for entries while the primary is away, or `none`; by default one in /var/tmp. */
  spool?: string | undefined;
  /** The key of search hashes and the key that signs checkpoints, or the file that has them. */
  secret?: Secret | undefined;
  secretFile?: string | undefined;
}

/** Undefined while reads are not audited. */
export function readAuditConfig(
  env: Record<string, string | undefined>,
  faults: string[],
): AuditConfig | undefined {
  const choice = env['CLIENTELE_AUDIT'] || 'on';
  if (choice === 'off') return undefined;
  if (choice !== 'on') faults.push('CLIENTELE_AUDIT must be one of: on, off');
  return {
    spool: env['CLIENTELE_AUDIT_SPOOL'] || undefined,
    secretFile: env['CLIENTELE_SECRET_FILE'] || undefined,
  };
}
