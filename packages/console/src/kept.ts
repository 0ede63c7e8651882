/**
 * Recent customers and pinned lists, in this browser only. Of customers it keeps the identifiers,
 * never names. It belongs to the key that signed in, and signing out removes it: see
 * docs/decisions/kept-in-the-browser.md.
 */
import { listKey, noFilters } from './filters.ts';

interface Kept {
  /** The key's id; null where the server requires no key. */
  owner: string | null;
  /** Identifiers, the latest first. */
  recent: string[];
  /** The keys of lists: a search with its filters and order. */
  lists: string[];
}

/** Searches without filters, as they were kept before. */
interface Earlier {
  pinned?: string[];
}

const listOfSearch = (search: string): string => listKey({ search, filters: noFilters });

const storageKey = 'clientele.kept';
const maxRecent = 8;
const maxPinned = 20;

/** Read every time: other tabs write it too. */
function read(): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Kept> & Earlier;
    const { owner = null, recent = [], pinned = [] } = kept;
    return { owner, recent, lists: kept.lists ?? pinned.map(listOfSearch) };
  } catch {
    return { owner: null, recent: [], lists: [] };
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
export const keptPins = (): string[] => read().lists;

export function keepRecent(id: string): void {
  const kept = read();
  const recent = [id, ...kept.recent.filter((other) => other !== id)].slice(0, maxRecent);
  write({ ...kept, recent });
}

export function togglePin(list: string): void {
  const kept = read();
  const others = kept.lists.filter((other) => other !== list);
  const lists = others.length < kept.lists.length ? others : [list, ...others];
  write({ ...kept, lists: lists.slice(0, maxPinned) });
}

/** After signing in: what another key's user kept is removed. */
export function keepFor(owner: string | null): void {
  if (read().owner !== owner) write({ owner, recent: [], lists: [] });
}

export function forgetKept(): void {
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Blocked storage has nothing to remove.
  }
}
