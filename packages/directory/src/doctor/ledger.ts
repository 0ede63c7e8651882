/** Whether erasures would survive the restore of a backup. */
import { queriesOf } from '../audit/command-audit.ts';
import { readSecretFile, SecretError } from '../settings/secret.ts';
import { isErasure } from '../privacy/erasure/compare.ts';
import { Ledger, LedgerError, type LedgerEntry } from '../privacy/erasure/ledger.ts';
import { findLacking } from '../privacy/erasure/reapply.ts';
import { readErasures } from '../privacy/erasure/stored.ts';
import type { LedgerConfig } from '../settings/ledger-settings.ts';
import { mustFix, ok, row, warning, type Check, type Finding } from './finding.ts';

export const ledger: Check = {
  name: 'ledger of erasures',
  needsTables: true,
  primaryOnly: true,
  async look({ client, ledger: config }) {
    const { exists } = await row<{ exists: boolean }>(
      client,
      `select to_regclass('clientele.erasures') is not null as exists`,
    );
    // Reported with the migrations.
    if (!exists) return [];
    if (!config) {
      const { erasures } = await row<{ erasures: number }>(
        client,
        'select count(*)::int as erasures from clientele.erasures',
      );
      if (erasures === 0) return [ok('Nobody has been erased.')];
      return [
        warning(
          `No ledger is kept: after a restore, people who were erased (${erasures}) could be shown again.`,
          'Set CLIENTELE_LEDGER_FILE for every instance and for this command.',
        ),
      ];
    }
    const entries = await read(config);
    if (!Array.isArray(entries)) return [entries];
    const { erasures, returned } = await findLacking(client, entries);
    const lacking = erasures.length + returned.length;
    if (lacking > 0) {
      return [
        mustFix(
          `The database lacks erasures of the ledger (${lacking}), so instances refuse to serve.`,
          `clientele erase --reapply ${config.file}`,
        ),
      ];
    }
    const known = new Set(entries.filter(isErasure).map(({ id }) => id));
    const stored = await readErasures(queriesOf(client).query);
    const unknown = stored.filter(({ id }) => !known.has(id)).length;
    if (unknown === 0) return [ok(`The ledger has all erasures (${stored.length}).`)];
    return [
      warning(
        `The ledger lacks erasures of the database (${unknown}).`,
        'Start an instance with this file as CLIENTELE_LEDGER_FILE: it copies them within seconds.',
      ),
    ];
  },
};

async function read({ file, secretFile }: LedgerConfig): Promise<LedgerEntry[] | Finding> {
  try {
    const secret = await readSecretFile(secretFile);
    return await (await Ledger.open(file, secret, { mustExist: true })).read();
  } catch (error) {
    if (!(error instanceof LedgerError || error instanceof SecretError)) throw error;
    return mustFix(error.message, 'Correct CLIENTELE_LEDGER_FILE or CLIENTELE_SECRET_FILE.');
  }
}
