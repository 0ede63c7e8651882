/** The settings of the ledger of erasures. */
export interface LedgerConfig {
  file: string;
  secretFile: string;
}

/** Undefined where no ledger is kept. */
export function readLedgerConfig(
  env: Record<string, string | undefined>,
  faults: string[],
): LedgerConfig | undefined {
  const { CLIENTELE_LEDGER_FILE: file, CLIENTELE_SECRET_FILE: secretFile } = env;
  if (!file) return undefined;
  if (!secretFile) {
    faults.push(
      'CLIENTELE_LEDGER_FILE needs CLIENTELE_SECRET_FILE. Create one with: clientele secret create',
    );
  }
  return { file, secretFile: secretFile ?? '' };
}
