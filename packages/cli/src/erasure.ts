/** What all commands that erase people share. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  clearTraces,
  type EraseOptions,
  graceSeconds,
  Ledger,
  readAuditSettings,
  readSecretFile,
  type Remaining,
} from '@clientele/directory';
import type pg from 'pg';
import { withDatabase } from './database.ts';
import { CommandError } from './explain.ts';

/** Connects with the role of imports, which may also erase. */
export const withWriter = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withDatabase(async (client) => {
    await client.query('set role clientele_writer');
    return work(client);
  });

/** The secret, and the ledger if there is one: from the environment, or the given path. */
export async function openErasing(
  ledgerPath = process.env['CLIENTELE_LEDGER_FILE'] || undefined,
): Promise<Omit<EraseOptions, 'reason'>> {
  const secretPath = process.env['CLIENTELE_SECRET_FILE'];
  if (!secretPath) {
    throw new CommandError(
      'Set CLIENTELE_SECRET_FILE to the secret of this installation: without its key, imports could bring people ' +
        'back. Create one with: clientele secret create',
    );
  }
  const secret = await readSecretFile(secretPath);
  const ledger = !ledgerPath ? undefined : await Ledger.open(ledgerPath, secret);
  return { secret, ledger, audited: readAuditSettings(process.env) !== undefined };
}

export const noLedger =
  'Warning: CLIENTELE_LEDGER_FILE is not set. After a restore, nobody would know that these people were erased.';

/** With a margin for instances that are busy. */
const mostWaitMs = (graceSeconds + 5) * 1_000;

/** Clears the traces of erased people. Waits until they are gone, or it is clear that they will stay for longer. */
export async function clearPending(client: pg.ClientBase): Promise<Remaining> {
  const until = performance.now() + mostWaitMs;
  for (;;) {
    const left = await clearTraces(client);
    if (left.remaining === 0 || performance.now() > until) return left;
    await sleep(500);
  }
}

/** What is left, why, and when it will be gone. */
export function describeRemaining({ remaining, listed, waitingFor }: Remaining): string {
  if (remaining === 0) return 'No trace of erased people is left.';
  const people = remaining === 1 ? '1 person' : `${remaining} people`;
  const where =
    listed === 0 ? '' : ` ${listed} of them can still be found, because their row is locked.`;
  const transactions = waitingFor.map(({ process, login, since }) => {
    const who = process === null ? 'a prepared transaction' : `process ${process}`;
    const details = [login && `login ${login}`, since && `since ${since}`].filter(Boolean);
    return details.length === 0 ? who : `${who} (${details.join(', ')})`;
  });
  const cause =
    waitingFor.length === 0
      ? 'Something else is using the tables'
      : `An older transaction may have written about them: ${transactions.join(', ')}`;
  return (
    `Not everything about ${people} is gone yet.${where} ${cause}. A running server clears the rest within a minute ` +
    `after that has ended. Without one, run: clientele erase --pending`
  );
}
