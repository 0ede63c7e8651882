import { useMemo, useSyncExternalStore, type RefCallback } from 'react';
import { useAllowed } from '../session/allowed.ts';
import { useSettings, type ColumnName } from '../settings.ts';
import { fittingColumns } from './fitting-columns.ts';

/** The width of the list, also for the menu that chooses columns. */
let room = innerWidth;
const listeners = new Set<() => void>();

/** A ref for the element that holds the table. */
export const measureRoom: RefCallback<HTMLElement> = (element) => {
  if (!element) return undefined;
  const measure = () => {
    if (element.offsetWidth === 0 || element.offsetWidth === room) return;
    room = element.offsetWidth;
    for (const listener of listeners) listener();
  };
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  return () => observer.disconnect();
};

const contactColumns: ReadonlySet<ColumnName> = new Set(['email', 'phone']);

/** Widths are given for letters of the usual size; readers may choose larger ones. */
const unit = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;

export function useFittingColumns(): readonly ColumnName[] {
  const { columns } = useSettings();
  const { contact } = useAllowed();
  // Columns that say “hidden” in every row leave no room for the others.
  const seen = contact ? columns : columns.filter((name) => !contactColumns.has(name));
  const names = useSyncExternalStore(subscribe, () =>
    fittingColumns(seen, room / unit()).join(' '),
  );
  return useMemo(() => names.split(' ').filter(Boolean) as ColumnName[], [names]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
