import { useEffect, useRef } from 'react';
import { go, hrefOf, type Address } from '../address.ts';

const settledMs = 1_000;

/**
 * Goes to a typed search. The letters of one search share a history entry. Once its rows have been
 * on screen for a second, the next search gets an entry of its own, so that Back returns to it.
 */
export function useSearchEntries(address: Address, isCurrent: boolean) {
  const unsettled = useRef<string>(undefined);
  const href = hrefOf(address);
  useEffect(() => {
    if (href !== unsettled.current) unsettled.current = undefined;
    if (!isCurrent) return undefined;
    const timer = setTimeout(() => (unsettled.current = undefined), settledMs);
    return () => clearTimeout(timer);
  }, [href, isCurrent]);

  return (search: string) => {
    const target = { ...address, search, page: 1, customer: null, alone: false };
    go(target, unsettled.current === undefined ? 'push' : 'replace');
    unsettled.current = hrefOf(target);
  };
}
