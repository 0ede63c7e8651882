import type { ReactNode } from 'react';
import { findPlaces, type FieldKind, type Search } from '../search/matches.ts';

/** The text with its matches marked. A function, not a component: a page has hundreds of cells. */
export function markMatches(text: string, kind: FieldKind, search: Search): ReactNode {
  const places = findPlaces(text, kind, search);
  if (places.length === 0) return text;
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [from, to] of places) {
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return [...parts, text.slice(end)];
}
