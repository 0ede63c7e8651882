import { useEffect, useRef } from 'react';
import { useSettings } from '../settings.ts';

export type KeyCommands = Partial<Record<string, () => void>>;

/** Nobody starts a search with one of these. */
const isNothingToType = (field: Element, key: string): boolean =>
  field.matches('search input') && (field as HTMLInputElement).value === '' && '?[]'.includes(key);

/** Keys for the whole page. Where text is typed or a choice made, keys are that field's. */
export function useKeys(commands: KeyCommands): void {
  const { letterKeys } = useSettings();
  const current = useRef(commands);
  useEffect(() => {
    current.current = commands;
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      const field = (target as Element).closest('input, select, textarea, .disclosed');
      if (field && key !== 'Escape' && !isNothingToType(field, key)) return;
      if (key.length === 1 && !letterKeys) return;
      const command = current.current[key];
      if (!command) return;
      event.preventDefault();
      command();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [letterKeys]);
}
