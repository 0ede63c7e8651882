/** Keyboard focus within the list. */
import { useEffect, useLayoutEffect, useRef } from 'react';

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
