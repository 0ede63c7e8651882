/** What the session's scopes, and the server, allow. The server decides; the console does not offer what it would refuse. */
import { createContext, useContext } from 'react';

export interface Allowed {
  list: boolean;
  search: boolean;
  /** A customer. */
  open: boolean;
  export: boolean;
  /** To see contact details, and to search them. */
  contact: boolean;
  /** The fields that lists can be sorted by here. */
  sort: readonly string[];
}

export function allowedBy(scopes: readonly string[], sortFields: readonly string[] = []): Allowed {
  const list = scopes.includes('customers:list');
  return {
    list,
    // Both are lists as well.
    search: list && scopes.includes('customers:search'),
    export: list && scopes.includes('customers:export'),
    open: scopes.includes('customers:lookup'),
    contact: scopes.includes('customers:contact'),
    sort: list ? sortFields : [],
  };
}

export const AllowedContext = createContext(allowedBy([]));

export const useAllowed = (): Allowed => useContext(AllowedContext);
