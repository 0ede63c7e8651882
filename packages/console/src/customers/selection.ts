/** The selected customers. They belong to one list, a search with its filters: selecting in another starts again. */
import type { Customer } from '@clientele/client';
import { useSyncExternalStore } from 'react';

interface Selection {
  list: string;
  /** By id, in the order of selection. */
  customers: ReadonlyMap<string, Customer>;
  /** Where a selection with Shift starts. */
  last: string | null;
}

const none: Selection = { list: '', customers: new Map(), last: null };
let current = none;
const listeners = new Set<() => void>();

function change(selection: Selection): void {
  current = selection;
  for (const listener of listeners) listener();
}

const of = (list: string): Selection => (current.list === list ? current : none);

export function toggleSelected(list: string, customer: Customer): void {
  const customers = new Map(of(list).customers);
  if (!customers.delete(customer.id)) customers.set(customer.id, customer);
  change({ list, customers, last: customer.id });
}

/** Adds all rows from the last toggled one to this one. */
export function selectThrough(list: string, page: Customer[], customer: Customer): void {
  const { last } = of(list);
  const ends = [last, customer.id].map((id) => page.findIndex((each) => each.id === id));
  if (ends.includes(-1)) {
    toggleSelected(list, customer);
    return;
  }
  const range = page.slice(Math.min(...ends), Math.max(...ends) + 1);
  addSelected(list, range, customer.id);
}

export function addSelected(list: string, added: Customer[], last: string | null = null): void {
  const customers = new Map(of(list).customers);
  for (const customer of added) customers.set(customer.id, customer);
  change({ list, customers, last });
}

export function removeSelected(list: string, removed: Customer[]): void {
  const customers = new Map(of(list).customers);
  for (const { id } of removed) customers.delete(id);
  change({ list, customers, last: null });
}

export const clearSelection = (): void => change(none);

/** What was selected when the session ended, by identifiers only: no customer stays in memory then. */
let suspended: { list: string; ids: ReadonlySet<string> } = { list: '', ids: new Set() };

export function suspendSelection(): void {
  suspended = { list: current.list, ids: new Set(current.customers.keys()) };
  change(none);
}

/** Selects those rows again that were selected before the session ended. */
export function resumeSelection(list: string, rows: Customer[]): void {
  if (suspended.ids.size === 0 || suspended.list !== list) return;
  const again = rows.filter(({ id }) => suspended.ids.has(id));
  suspended = { list: '', ids: new Set() };
  if (again.length > 0) addSelected(list, again);
}

export function forgetSelection(): void {
  change(none);
  suspended = { list: '', ids: new Set() };
}

export function useSelected(list: string): ReadonlyMap<string, Customer> {
  return useSyncExternalStore(subscribe, () => of(list).customers);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
