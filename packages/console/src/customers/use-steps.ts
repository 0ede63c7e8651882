import { useEffect, useRef } from 'react';
import { go, type Address } from '../address.ts';

/** Opens the next or previous customer of the list, across pages. */
export function useSteps(
  { customer, ...address }: Address,
  shown: { items: { id: string }[]; pageCount: number; page: number } | undefined,
) {
  const entering = useRef<1 | -1>(undefined);

  // After a step onto another page: open its first or last customer once it has loaded.
  useEffect(() => {
    if (!shown || entering.current === undefined || shown.page !== address.page) return;
    const target = shown.items.at(entering.current === 1 ? 0 : -1);
    entering.current = undefined;
    if (target) go({ ...address, customer: target.id }, 'replace');
  });

  return (by: 1 | -1) => {
    if (!shown) return;
    const index = shown.items.findIndex(({ id }) => id === customer);
    const target = index === -1 ? shown.items[0] : shown.items[index + by];
    if (target) {
      go({ ...address, customer: target.id }, 'replace');
      return;
    }
    const page = address.page + by;
    if (page < 1 || page > shown.pageCount) return;
    entering.current = by;
    go({ ...address, page, customer }, 'push');
  };
}
