/** Keyboard focus within the list. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { isFromHistory } from '../address.ts';

/** When a focused row disappears with its page or search, focuses the first of the new rows. Not only rows. */
export function useKeptFocus(selector: string, shown: unknown): void {
  const wasThere = useRef(false);
  useEffect(() => {
    const look = ({ target }: FocusEvent) => {
      wasThere.current = (target as Element).matches(selector);
    };
    document.addEventListener('focusin', look);
    return () => document.removeEventListener('focusin', look);
  }, [selector]);
  useLayoutEffect(() => {
    if (!wasThere.current || document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(selector)?.focus();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs when other rows are shown
  }, [selector, shown]);
}

/** Steps and links open customers whose rows are outside of the visible part of the list. */
export function useOpenRowInView(open: string | null, shown: readonly { id: string }[]): void {
  const isHere = shown.some(({ id }) => id === open);
  useEffect(() => {
    if (isHere) document.querySelector('tr[aria-current]')?.scrollIntoView({ block: 'nearest' });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs when another customer is opened
  }, [open, isHere]);
}

/** Tab reaches the table once, at the row that had the focus last, or the first one. The attribute is not React's. */
export function useOneTabStop(shown: unknown, open: string | null): void {
  useLayoutEffect(() => {
    const stop = document.querySelector<HTMLElement>('[data-row][tabindex="0"]');
    const current = document.querySelector<HTMLElement>('tr[aria-current] [data-row]');
    makeTabStop(current ?? stop ?? rows()[0]);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs when other rows are shown
  }, [shown, open]);
  useEffect(() => {
    const look = ({ target }: FocusEvent) => {
      if ((target as Element).matches('[data-row]')) makeTabStop(target as HTMLElement);
    };
    document.addEventListener('focusin', look);
    return () => document.removeEventListener('focusin', look);
  }, []);
}

function makeTabStop(row: HTMLElement | undefined): void {
  if (!row || row.tabIndex === 0) return;
  for (const other of document.querySelectorAll('[data-row][tabindex="0"]')) {
    other.setAttribute('tabindex', '-1');
  }
  row.setAttribute('tabindex', '0');
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** Where Tab would reach the table. */
export function focusCurrentRow(): void {
  document.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus();
}

/** Along the rows, by one, by about a screen, or to an end. Further up than the first is the search field. */
export function moveFocus(by: number, field: HTMLElement | null): void {
  const links = rows();
  const index = links.indexOf(document.activeElement as HTMLElement);
  if (index === 0 && by === -1) field?.focus();
  else links[index === -1 ? 0 : Math.min(links.length - 1, Math.max(0, index + by))]?.focus();
}

/** Back from a customer leads to its row, as closing it does. */
export function useRowAfterBack(open: string | null): void {
  const last = useRef(open);
  useEffect(() => {
    if (open === null && last.current !== null && isFromHistory()) focusRow(last.current);
    last.current = open;
  }, [open]);
}

/** Focuses the row of a customer that was closed, or the search field if it is not on the page. */
export function focusRow(id: string | null): void {
  requestAnimationFrame(() => {
    const link = rows().find((each) => id !== null && each.getAttribute('href')?.includes(id));
    (link ?? document.querySelector<HTMLElement>('search input'))?.focus();
  });
}
