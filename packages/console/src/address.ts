/** The URL holds the state: the search, the filters, the page, and the open customer. */
import { limits } from '@clientele/client';
import { useMemo, useSyncExternalStore } from 'react';
import { filterEntries, readFilters, type Filters } from './filters.ts';

export interface Address {
  search: string;
  filters: Filters;
  page: number;
  /** The open customer's id. */
  customer: string | null;
  /** The customer is shown on its own page, at a URL to share. */
  alone: boolean;
}

/** Null for an unknown path. Invalid parameters fall back to their defaults. */
export function readAddress({ pathname, search: query }: { pathname: string; search: string }) {
  const values = new URLSearchParams(query);
  const page = /^[1-9]\d{0,9}$/.test(values.get('page') ?? '') ? Number(values.get('page')) : 1;
  const list = {
    search: (values.get('search') ?? '').trim(),
    filters: readFilters(values),
    page: page > limits.page.max ? 1 : page,
  };
  if (pathname === '/') return { ...list, customer: values.get('customer') || null, alone: false };
  const [, id] = /^\/customers\/([^/]+)$/.exec(pathname) ?? [];
  return id === undefined ? null : { ...list, customer: decode(id), alone: true };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hrefOf({ search, filters, page, customer, alone }: Address): string {
  const values = new URLSearchParams();
  if (search.trim() !== '') values.set('search', search.trim());
  for (const [name, value] of filterEntries(filters)) values.set(name, value);
  if (page > 1) values.set('page', String(page));
  if (customer !== null && !alone) values.set('customer', customer);
  const path = customer !== null && alone ? `/customers/${encodeURIComponent(customer)}` : '/';
  return values.size > 0 ? `${path}?${values}` : path;
}

/** Changes the URL without loading the page. */
export function go(address: Address, how: 'push' | 'replace'): void {
  const href = hrefOf(address);
  if (href === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  fromHistory = false;
  dispatchEvent(new Event(changed));
}

const changed = 'clientele:address';
let fromHistory = false;

/** Whether Back or Forward led to the address. */
export const isFromHistory = (): boolean => fromHistory;

export function useAddress(): Address | null {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  return useMemo(() => readAddress(new URL(href, location.origin)), [href]);
}

function subscribe(listener: () => void): () => void {
  const goBack = () => {
    fromHistory = true;
    listener();
  };
  addEventListener('popstate', goBack);
  addEventListener(changed, listener);
  return () => {
    removeEventListener('popstate', goBack);
    removeEventListener(changed, listener);
  };
}
