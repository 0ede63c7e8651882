import { useEffect, useState } from 'react';
import { go, hrefOf, type Address } from '../address.ts';
import type { List } from './use-shown-list.ts';

export type Step = (by: 1 | -1) => void;

/**
 * Opens the next or previous customer of the list, across pages. Undefined if the open customer is
 * not in the list: its neighbours are unknown.
 */
export function useSteps(address: Address, list: List): Step | undefined {
  const { customer, page } = address;
  const [entering, setEntering] = useState<{ by: 1 | -1; href: string }>();
  const href = hrefOf(address);
  const { rows, lastPage = 0 } = list;
  const items = list.isCurrent ? rows?.items : undefined;
  const isEntering = entering?.href === href;

  // After a step onto another page: open its first or last customer once it has loaded.
  useEffect(() => {
    if (!isEntering || !items) return;
    const target = items.at(entering.by === 1 ? 0 : -1);
    if (target) go({ ...address, customer: target.id }, 'replace');
  });

  const index = items?.findIndex(({ id }) => id === customer?.toLowerCase()) ?? -1;
  if (index === -1 && !isEntering) return undefined;
  return (by) => {
    const target = items?.[index + by];
    if (!items || isEntering) return;
    if (target) {
      go({ ...address, customer: target.id }, 'replace');
      return;
    }
    if (page + by < 1 || page + by > lastPage) return;
    const next = { ...address, page: page + by };
    setEntering({ by, href: hrefOf(next) });
    go(next, 'push');
  };
}
