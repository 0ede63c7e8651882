/** `clientele erase --reapply`, after a restore. */
import { findLacking, Ledger, reapplyLedger } from '@clientele/directory';
import { clearPending, describeRemaining, openErasing, withWriter } from '../erasure.ts';
import { createLog } from '../log.ts';
import { exitWithRejects } from '../reading-options.ts';
import { many } from '../summary.ts';

export interface ReapplyOptions {
  dryRun?: boolean;
  quiet?: boolean;
  json?: boolean;
}

/** Not confirmed: every erasure in a ledger was. */
export async function reapply(path: string, options: ReapplyOptions): Promise<void> {
  const log = createLog(options.quiet);
  const print = (summary: object): void => {
    if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  };
  const { secret, audited } = await openErasing('');
  const ledger = await Ledger.open(path, secret!, { mustExist: true });
  await withWriter(async (client) => {
    if (options.dryRun) {
      const { erasures, returned } = await findLacking(client, await ledger.read());
      log(
        `The database lacks ${many(erasures.length, 'erasure')} of ${path}, and has ` +
          `${many(returned.length, 'customer')} who came back. Nothing was changed.`,
      );
      return print({ erasures: erasures.length, returned: returned.length });
    }
    const reapplied = await reapplyLedger(client, { ledger, secret, audited });
    const { erasures, erased, lifted } = reapplied;
    log(
      `Reapplied ${many(erasures, 'erasure')}: erased ${many(erased, 'customer')}, and lifted ` +
        `${many(lifted, 'suppression')} again.`,
    );
    const left = await clearPending(client);
    log(describeRemaining(left));
    print({ ...reapplied, ...left });
    if (left.remaining > 0) process.exitCode = exitWithRejects;
  });
}
