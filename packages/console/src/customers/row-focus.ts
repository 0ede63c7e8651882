/** Keyboard focus within the rows of the list. */
import { useEffect, useLayoutEffect, useRef } from 'react';

/** When the focused row disappears with its page or search, focuses the first of the new rows. */
export function useKeptRowFocus(items: unknown): void {
  const wasOnRow = useRef(false);
  useEffect(() => {
    const look = ({ target }: FocusEvent) => {
      wasOnRow.current = (target as Element).matches('[data-row]');
    };
    document.addEventListener('focusin', look);
    return () => document.removeEventListener('focusin', look);
  }, []);
  useLayoutEffect(() => {
    if (wasOnRow.current && document.activeElement === document.body) rows()[0]?.focus();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs when the rows change
  }, [items]);
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-row]')];

export function moveFocus(by: 1 | -1, field: HTMLElement | null): void {
  const links = rows();
  const index = links.indexOf(document.activeElement as HTMLElement);
  if (index === 0 && by === -1) field?.focus();
  else (index === -1 ? links[0] : links[index + by])?.focus();
}

/** Focuses the row of a customer that was closed, or the search field if it is not on the page. */
export function focusRow(id: string | null): void {
  requestAnimationFrame(() => {
    const link = rows().find((each) => id !== null && each.getAttribute('href')?.includes(id));
    (link ?? document.querySelector<HTMLElement>('search input'))?.focus();
  });
}
