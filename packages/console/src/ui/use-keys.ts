import { useEffect, useRef } from 'react';
import { useSettings } from '../settings.ts';

export type KeyCommands = Partial<Record<string, () => void>>;

/** No search starts with these, so they stay commands while the search field is empty. */
const isCommandIn = (field: Element, key: string): boolean =>
  field.matches('search input') && (field as HTMLInputElement).value === '' && '?[]'.includes(key);

/** Keyboard commands for the whole page. Fields and menus keep their own keys. */
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
      if (field && key !== 'Escape' && !isCommandIn(field, key)) return;
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
