/** An entry of the audit: one answer about customers, or what a command did to some, to a key or to a person. */
import { createHmac } from 'node:crypto';
import type { Sort } from '@clientele/contract';

export type AuditAction =
  | 'list'
  | 'search'
  | 'lookup'
  | 'timeline'
  | 'suggestions'
  | 'export'
  | 'erase'
  | 'lift'
  | 'subject'
  | AccessAction;

/** What commands do to a key, or to a person who signs in. */
export type AccessAction = 'create-key' | 'revoke-key' | 'disable-person' | 'enable-person';

/** Who was answered. Without authentication, only the address is known. */
export interface AuditedCaller {
  kind: 'key' | 'person' | 'login' | 'none';
  id: string;
  name: string;
}

export interface AuditEntry {
  caller: AuditedCaller;
  address: string;
  action: AuditAction;
  requestId: string;
  page: number;
  perPage: number;
  /** Null where it was not counted. */
  total: number | null;
  /** What was searched for; empty for no search. Only its keyed hash is recorded. */
  search: string;
  /** Those of the query, as in the API. Left out where nothing was filtered. */
  filters?: Record<string, boolean | string>;
  /** Left out for the order that lists have without the parameter. */
  sort?: Sort;
  /** 16 bytes for each customer that was shown. */
  customers: Buffer;
  /** The id of the key or person that something was done to. */
  target?: string;
}

export const nobody: AuditedCaller = { kind: 'none', id: '', name: '' };

/** The entry as JSON, without the customers. The view `clientele.audit_entries` has its fields. */
export function toJson(entry: AuditEntry, at: Date, searchKey: Buffer | undefined): string {
  const { caller, address, action, requestId, page, perPage, total, search, customers } = entry;
  const { filters, sort, target } = entry;
  return JSON.stringify({
    at: at.toISOString(),
    kind: caller.kind,
    caller: caller.id,
    name: caller.name,
    address,
    action,
    request: requestId,
    page,
    per_page: perPage,
    total,
    shown: customers.length / 16,
    ...(search !== '' && searchKey && { search: searchHash(search, searchKey) }),
    ...(filters && { filters }),
    ...(sort && { sort }),
    ...(target !== undefined && { target }),
  });
}

/** Equal for searches that differ only in case, accents and spaces. */
export function searchHash(search: string, key: Buffer): string {
  return createHmac('sha256', key).update(foldSearch(search)).digest('base64url');
}

const foldSearch = (search: string): string =>
  search
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .trim()
    .replace(/\s+/g, ' ');
