import { useMemo, useSyncExternalStore, type RefCallback } from 'react';
import { useAllowed } from '../session/allowed.ts';
import { useSettings } from '../settings.ts';
import { chosenColumns, listColumns, type Column } from './columns.tsx';
import { fittingColumns } from './fitting-columns.ts';

/** How wide the list would be with letters of the usual size: readers may choose larger ones. Also for the menu. */
let room = innerWidth;
const listeners = new Set<() => void>();

/** A ref for the element that holds the table. */
export const measureRoom: RefCallback<HTMLElement> = (element) => {
  if (!element) return undefined;
  const measure = () => {
    // Reading this while a list renders would make the browser compute styles once more for each keystroke.
    const letters = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
    const measured = element.offsetWidth / letters;
    if (measured === 0 || measured === room) return;
    room = measured;
    for (const listener of listeners) listener();
  };
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  // Larger letters make it higher, where the width of the list stays the same.
  observer.observe(element.firstElementChild!);
  return () => observer.disconnect();
};

export function useFittingColumns(): readonly Column[] {
  const chosen = chosenColumns(useSettings().columns);
  const { contact } = useAllowed();
  // Columns that say “hidden” in every row leave no room for the others.
  const seen = contact ? chosen : chosen.filter(({ isContact }) => !isContact);
  const names = useSyncExternalStore(subscribe, () =>
    fittingColumns(seen, room)
      .map(({ name }) => name)
      .join(' '),
  );
  return useMemo(() => {
    const fitting = names.split(' ');
    return listColumns.filter(({ name }) => fitting.includes(name));
  }, [names]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
