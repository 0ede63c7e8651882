/** What a ledger says, compared with what the database knows. */
import type { ErasureEntry, LedgerEntry, LiftEntry } from './ledger.ts';
import type { StoredErasure } from './stored.ts';

export const isErasure = (entry: LedgerEntry): entry is ErasureEntry => entry.type === 'erasure';
export const isLift = (entry: LedgerEntry): entry is LiftEntry => entry.type === 'lift';

/** The latest lift of each hash. */
export function latestLifts(entries: readonly LedgerEntry[]): Map<string, LiftEntry> {
  const latest = new Map<string, LiftEntry>();
  for (const entry of entries.filter(isLift)) {
    const hash = entry.hash.toString('hex');
    const known = latest.get(hash);
    if (!known || known.liftedAt < entry.liftedAt) latest.set(hash, entry);
  }
  return latest;
}

/** The latest erasure of everybody whose identifier has not been lifted since. */
export function erasedNow(entries: readonly LedgerEntry[]): Map<string, ErasureEntry> {
  const erased = new Map<string, ErasureEntry>();
  for (const entry of entries.filter(isErasure)) {
    const known = erased.get(entry.uuid);
    if (!known || known.erasedAt <= entry.erasedAt) erased.set(entry.uuid, entry);
  }
  for (const { uuid, liftedAt } of entries.filter(isLift)) {
    if (uuid !== null && erased.has(uuid) && liftedAt >= erased.get(uuid)!.erasedAt) {
      erased.delete(uuid);
    }
  }
  return erased;
}

/** Erasures that the database lacks. One that failed has not been lost if the same person was erased later. */
export function lackedBy(
  stored: readonly StoredErasure[],
  entries: readonly LedgerEntry[],
): ErasureEntry[] {
  const ids = new Set(stored.map(({ id }) => id));
  const latest = new Map<string, Date>();
  for (const { uuid, erasedAt } of stored) {
    const known = latest.get(uuid);
    if (!known || known < erasedAt) latest.set(uuid, erasedAt);
  }
  return entries
    .filter(isErasure)
    .filter(({ id, uuid, erasedAt }) => !ids.has(id) && !(latest.get(uuid)! >= erasedAt));
}
