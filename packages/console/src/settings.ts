/** Display settings, stored in the browser. Nothing about customers is stored there. */
import { useSyncExternalStore } from 'react';

export const pageSizes = [10, 25, 50, 100] as const;

export const csvFormats = ['spreadsheet', 'raw'] as const;
export type CsvFormat = (typeof csvFormats)[number];

export interface Settings {
  /** The names of the chosen columns (customers/columns.tsx); null for all. */
  columns: readonly string[] | null;
  density: 'regular' | 'dense';
  perPage: number;
  theme: 'system' | 'light' | 'dark';
  language: 'en' | 'de';
  /** Whether single letters are commands. Dictation software needs them off (WCAG 2.1.4). */
  letterKeys: boolean;
  csvFormat: CsvFormat;
}

const storageKey = 'clientele.settings';

function read(): Settings {
  const language = navigator.languages.some((tag) => tag.startsWith('en'))
    ? firstOf(navigator.languages)
    : firstOf([...navigator.languages, 'en']);
  const defaults: Settings = {
    columns: null,
    density: 'regular',
    perPage: 25,
    theme: 'system',
    language,
    letterKeys: true,
    csvFormat: 'spreadsheet',
  };
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Settings>;
    return {
      columns: Array.isArray(kept.columns) ? kept.columns : null,
      density: kept.density === 'dense' ? 'dense' : 'regular',
      perPage: pageSizes.find((size) => size === kept.perPage) ?? defaults.perPage,
      theme: (['light', 'dark'] as const).find((theme) => theme === kept.theme) ?? 'system',
      language: (['en', 'de'] as const).find((each) => each === kept.language) ?? language,
      letterKeys: kept.letterKeys !== false,
      csvFormat: kept.csvFormat === 'raw' ? 'raw' : 'spreadsheet',
    };
  } catch {
    return defaults;
  }
}

const firstOf = (tags: readonly string[]): 'en' | 'de' =>
  (tags.find((tag) => /^(en|de)\b/.test(tag)) ?? 'en').startsWith('de') ? 'de' : 'en';

let current: Settings | undefined;
const listeners = new Set<() => void>();

export const getSettings = (): Settings => (current ??= read());

export function changeSettings(change: Partial<Settings>): void {
  current = { ...getSettings(), ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // Storage may be blocked; the setting then lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function useSettings(): Settings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, getSettings);
}
