/**
 * Recent customers and pinned searches, in this browser only. Of customers it keeps the identifiers,
 * never names. It belongs to the key that signed in, and signing out removes it: see
 * docs/decisions/kept-in-the-browser.md.
 */
interface Kept {
  /** The key's id; null where the server requires no key. */
  owner: string | null;
  /** Identifiers, the latest first. */
  recent: string[];
  pinned: string[];
}

const storageKey = 'clientele.kept';
const maxRecent = 8;
const maxPinned = 20;

/** Read every time: other tabs write it too. */
function read(): Kept {
  try {
    const {
      owner = null,
      recent = [],
      pinned = [],
    } = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Kept>;
    return { owner, recent, pinned };
  } catch {
    return { owner: null, recent: [], pinned: [] };
  }
}

function write(kept: Kept): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // Storage may be blocked; then nothing is kept.
  }
}

export const keptRecent = (): string[] => read().recent;
export const keptPins = (): string[] => read().pinned;

export function keepRecent(id: string): void {
  const kept = read();
  const recent = [id, ...kept.recent.filter((other) => other !== id)].slice(0, maxRecent);
  write({ ...kept, recent });
}

export function togglePin(search: string): void {
  const kept = read();
  const others = kept.pinned.filter((other) => other !== search);
  const pinned = others.length < kept.pinned.length ? others : [search, ...others];
  write({ ...kept, pinned: pinned.slice(0, maxPinned) });
}

/** After signing in: what another key's user kept is removed. */
export function keepFor(owner: string | null): void {
  if (read().owner !== owner) write({ owner, recent: [], pinned: [] });
}

export function forgetKept(): void {
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Blocked storage has nothing to remove.
  }
}
