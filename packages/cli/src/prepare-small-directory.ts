/** What `migrate` prepares by itself in a small directory, and names as commands in a large one. */
import {
  findUnprepared,
  isSmallDirectory,
  listPreparations,
  type Preparation,
  prepareSmallDirectory,
} from '@clientele/directory';
import type pg from 'pg';
import { sentencesFor } from './prepare.ts';

type Log = (line: string) => void;

export async function prepareAfterMigration(client: pg.Client, log: Log): Promise<void> {
  const missing = await findUnprepared(client);
  if (missing.length === 0) return;
  if (!(await isSmallDirectory(client))) {
    const off = await stillOff(client, missing);
    if (off.length === 0) return;
    log(
      `In a directory of this size, migrate does not prepare ${purposesOf(off)}. As the owner, run:`,
    );
    for (const name of off) log(`  ${commandFor(name)}`);
    return;
  }
  log(`Preparing: ${purposesOf(missing)}. To skip this: clientele migrate --no-prepare`);
  try {
    await prepareSmallDirectory(client, missing);
  } catch (error) {
    const reason = reasons[(error as { code?: string }).code ?? ''];
    if (reason === undefined) throw error;
    const { message } = error as Error;
    log(`It is not prepared, because ${reason} (${message}). The directory works without it.`);
    for (const name of await stillOff(client, missing)) log(`Run later: ${commandFor(name)}`);
  }
}

/** What passes, or needs an administrator, is no reason to fail a migration that has succeeded. */
const reasons: Record<string, string | undefined> = {
  '55P03': 'another transaction is open',
  '42501': 'a right is missing',
};

/** A restore, an interruption or a change of the search rules has left it so. */
export async function reportUnfinished(client: pg.Client, log: Log): Promise<void> {
  for (const { name, state } of await listPreparations(client)) {
    if (state === 'unfinished') log(`${sentencesFor(name).unfinished} Run: ${commandFor(name)}`);
  }
}

/** Without what is unfinished, which is reported in any case. */
async function stillOff(client: pg.Client, names: Preparation[]): Promise<Preparation[]> {
  const all = await listPreparations(client);
  const off = all.filter(({ name, state }) => state === 'off' && names.includes(name));
  return off.map(({ name }) => name);
}

const purposesOf = (names: Preparation[]): string =>
  names.map((name) => sentencesFor(name).purpose).join(', ');

const commandFor = (name: Preparation): string => `clientele prepare ${name}`;
