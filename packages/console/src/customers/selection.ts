/** The selected customers. They belong to one search: selecting in another starts again. */
import type { Customer } from '@clientele/client';
import { useSyncExternalStore } from 'react';

interface Selection {
  search: string;
  /** By id, in the order of selection. */
  customers: ReadonlyMap<string, Customer>;
  /** Where a selection with Shift starts. */
  last: string | null;
}

const none: Selection = { search: '', customers: new Map(), last: null };
let current = none;
const listeners = new Set<() => void>();

function change(selection: Selection): void {
  current = selection;
  for (const listener of listeners) listener();
}

const of = (search: string): Selection => (current.search === search ? current : none);

export function toggleSelected(search: string, customer: Customer): void {
  const customers = new Map(of(search).customers);
  if (!customers.delete(customer.id)) customers.set(customer.id, customer);
  change({ search, customers, last: customer.id });
}

/** Adds all rows from the last toggled one to this one. */
export function selectThrough(search: string, page: Customer[], customer: Customer): void {
  const { last } = of(search);
  const ends = [last, customer.id].map((id) => page.findIndex((each) => each.id === id));
  if (ends.includes(-1)) {
    toggleSelected(search, customer);
    return;
  }
  const range = page.slice(Math.min(...ends), Math.max(...ends) + 1);
  addSelected(search, range, customer.id);
}

export function addSelected(search: string, added: Customer[], last: string | null = null): void {
  const customers = new Map(of(search).customers);
  for (const customer of added) customers.set(customer.id, customer);
  change({ search, customers, last });
}

export function removeSelected(search: string, removed: Customer[]): void {
  const customers = new Map(of(search).customers);
  for (const { id } of removed) customers.delete(id);
  change({ search, customers, last: null });
}

export const clearSelection = (): void => change(none);

export function useSelected(search: string): ReadonlyMap<string, Customer> {
  return useSyncExternalStore(subscribe, () => of(search).customers);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
