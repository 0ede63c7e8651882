import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import { go, type Address } from '../address.ts';
import { useKeys } from '../ui/use-keys.ts';
import { moveFocus } from './row-focus.ts';
import type { List } from './use-shown-list.ts';
import type { Step } from './use-steps.ts';

interface Options {
  address: Address;
  list: List;
  field: RefObject<HTMLInputElement | null>;
  step: Step | undefined;
  close: () => void;
  goToPage: (page: number) => void;
  showKeys: () => void;
}

/** The keys listed in the keyboard dialog, except those of the search field and of a customer. */
export function usePageKeys(options: Options): void {
  const { address, list, field, step, close, goToPage, showKeys } = options;
  const { page, customer, alone } = address;
  const move = (by: 1 | -1) => {
    if (customer !== null) step?.(by);
    else moveFocus(by, field.current);
  };
  const pageBy = (by: 1 | -1) => {
    if (page + by >= 1 && page + by <= (list.lastPage ?? 1)) goToPage(page + by);
  };
  useKeys({
    '/': () => {
      // A customer's own page has no search field: go back to the list first.
      if (alone) flushSync(() => go({ ...address, customer: null, alone: false }, 'push'));
      field.current?.focus();
      field.current?.select();
    },
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    '[': () => pageBy(-1),
    ']': () => pageBy(1),
    r: list.refresh,
    '?': showKeys,
    ...(customer !== null && { Escape: close }),
  });
}
