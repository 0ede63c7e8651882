import { useEffect, useRef, type RefObject } from 'react';
import { useSettings } from '../settings.ts';

/** By the name of the key; `Mod+k` is Ctrl+K, or ⌘K on a Mac. */
export type KeyCommands = Partial<Record<string, () => void>>;

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The key types a character of a third level, as `[` is on a German keyboard. Windows reports AltGr as Ctrl and Alt. */
export const isThirdLevel = (event: KeyboardEvent): boolean =>
  event.getModifierState('AltGraph') || (isMac && event.altKey && !event.ctrlKey && !event.metaKey);

/** Commands of everything on the screen. */
const active = new Set<RefObject<KeyCommands>>();

/** What a key does at the moment, if anything. */
export const commandOf = (key: string): (() => void) | undefined =>
  [...active].map(({ current }) => current[key]).find((command) => command !== undefined);

/** No search starts with these, so they stay commands while the search field is empty. */
const isCommandIn = (field: Element, key: string): boolean =>
  field.matches('search input') && (field as HTMLInputElement).value === '' && '?[]'.includes(key);

/** Keyboard commands for the whole page. Fields and menus keep their own keys. Those that only say why not are no commands. */
export function useKeys(commands: KeyCommands, { areCommands = true } = {}): void {
  const { letterKeys } = useSettings();
  const current = useRef(commands);
  useEffect(() => {
    current.current = commands;
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyped = isThirdLevel(event);
      // Escape and Enter of an input method belong to what is being composed.
      if (event.defaultPrevented || event.isComposing || (event.altKey && !isTyped)) return;
      if (document.querySelector('dialog[open]')) return;
      const isModified = (event.ctrlKey || event.metaKey) && !isTyped;
      const key = isModified ? `Mod+${event.key}` : event.key;
      const field = (target as Element).closest('input:not([type=checkbox]), select, .disclosed');
      if (field && key !== 'Escape' && !isModified && !isCommandIn(field, key)) return;
      if (key.length === 1 && !letterKeys) return;
      const command = current.current[key];
      if (!command) return;
      event.preventDefault();
      command();
    };
    if (areCommands) active.add(current);
    document.addEventListener('keydown', listener);
    return () => {
      active.delete(current);
      document.removeEventListener('keydown', listener);
    };
  }, [letterKeys, areCommands]);
}
