import type { Customer } from '@clientele/client';
import { createContext, useContext } from 'react';
import { useSettings } from '../settings.ts';
import { Icon } from '../ui/icon.tsx';
import { commandOf, useKeys } from '../ui/use-keys.ts';
import type { PaletteEntry } from './palette-entry.ts';

/** From a customer to where the work continues, such as the order system (CLIENTELE_CONSOLE_LINKS). */
export interface LinkTemplate {
  label: string;
  /** With `{uuid}` and `{email}`. */
  url: string;
}

export const LinksContext = createContext<readonly LinkTemplate[]>([]);

interface CustomerLink {
  label: string;
  href: string;
  /** The digit of its position, which stays the same for every customer. */
  shortcut: string;
}

/** A link that needs a hidden value is left out. */
function linksOf(customer: Customer, templates: readonly LinkTemplate[]): CustomerLink[] {
  return templates.flatMap(({ label, url }, index) => {
    const needsHidden = url.includes('{email}') && customer.hidden?.includes('email');
    if (needsHidden) return [];
    const href = url
      .replaceAll('{uuid}', encodeURIComponent(customer.id))
      .replaceAll('{email}', () => encodeURIComponent(customer.email));
    return [{ label, href, shortcut: String(index + 1) }];
  });
}

export function CustomerLinks({ customer }: { customer: Customer }) {
  const { letterKeys } = useSettings();
  const links = linksOf(customer, useContext(LinksContext));
  useKeys(
    Object.fromEntries(
      links.map(({ href, shortcut }) => [
        shortcut,
        () => void window.open(href, '_blank', 'noopener,noreferrer'),
      ]),
    ),
  );
  if (links.length === 0) return null;
  return (
    <ul className="links">
      {links.map(({ label, href, shortcut }) => (
        <li key={label}>
          <a
            className="button"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            aria-keyshortcuts={letterKeys ? shortcut : undefined}
          >
            <Icon name="out" /> {label}
            {letterKeys && <kbd aria-hidden="true">{shortcut}</kbd>}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** In the palette, while a customer is open. */
export function useLinkEntries(): PaletteEntry[] {
  return useContext(LinksContext).flatMap(({ label }, index) => {
    const shortcut = String(index + 1);
    const run = commandOf(shortcut);
    return run ? [{ id: `link ${label}`, icon: 'out', label, shortcut, run }] : [];
  });
}
