import type { IconName } from '../ui/icon.tsx';

/** What the palette can run. */
export interface PaletteEntry {
  id: string;
  icon: IconName;
  label: string;
  detail?: string;
  shortcut?: string;
  run: () => void;
}
