/** What pointers and keys do on a row, besides its link. One handler for all rows of the table. */
import type { KeyboardEvent, MouseEvent } from 'react';
import type { Customer } from '@clientele/client';
import { opensElsewhere } from '../ui/link.tsx';
import { moveFocus } from './row-focus.ts';
import { addSelected, selectThrough, toggleSelected } from './selection.ts';

interface Options {
  /** The key of the search with its filters. */
  list: string;
  items: Customer[];
  /** Undefined if customers may not be opened. */
  open: ((id: string) => void) | undefined;
}

/** Rows to move by; Page Up and Page Down, about a screen. */
const jumps: Partial<Record<string, number>> = {
  Home: -Infinity,
  End: Infinity,
  PageUp: -10,
  PageDown: 10,
};

export function rowActions({ list, items, open }: Options) {
  const customerAt = (target: EventTarget) =>
    items[(target as Element).closest('tr')?.sectionRowIndex ?? -1];

  return {
    onClick(event: MouseEvent) {
      const target = event.target as Element;
      const customer = customerAt(target);
      if (!customer || target.closest('a') || selectsText(target)) return;
      if (target.closest('[data-column=select]')) {
        if (event.shiftKey) selectThrough(list, items, customer);
        else toggleSelected(list, customer);
      } else if (!open) return;
      else if (event.ctrlKey || event.metaKey) openTab(target);
      else if (!opensElsewhere(event)) open(customer.id);
    },

    onAuxClick(event: MouseEvent) {
      const target = event.target as Element;
      if (open && event.button === 1 && !target.closest('a')) openTab(target);
    },

    /** Only while a row has the focus, so these keys need no setting to turn them off. */
    onKeyDown(event: KeyboardEvent) {
      const { key, target, shiftKey } = event;
      const customer = customerAt(target);
      if (!customer || !(target as Element).matches('[data-row]')) return;
      const move = jumps[key];
      if (move !== undefined && !event.ctrlKey && !event.metaKey) moveFocus(move, null);
      else if (key === ' ') toggleSelected(list, customer);
      else if (key === 'a' && (event.ctrlKey || event.metaKey)) addSelected(list, items);
      else if (shiftKey && (key === 'ArrowDown' || key === 'ArrowUp')) {
        const next = items[items.indexOf(customer) + (key === 'ArrowDown' ? 1 : -1)];
        addSelected(list, next ? [customer, next] : [customer], customer.id);
        if (next) moveFocus(key === 'ArrowDown' ? 1 : -1, null);
      } else return;
      event.preventDefault();
    },
  };
}

const openTab = (target: Element) =>
  window.open(target.closest('tr')?.querySelector('a')?.href, '_blank', 'noopener');

function selectsText(target: Element): boolean {
  const selection = getSelection();
  return selection?.type === 'Range' && selection.containsNode(target.closest('tr')!, true);
}
