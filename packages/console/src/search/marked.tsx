import { useMemo, type ReactNode } from 'react';
import { findPlaces, type Search } from './matches.ts';

interface Props {
  text: string;
  search: Search;
  isPhone?: boolean;
}

/** A text with what was searched for marked in it. */
export function Marked({ text, search, isPhone = false }: Props) {
  return useMemo(() => {
    const places = findPlaces(text, search, isPhone);
    if (places.length === 0) return text;
    const parts: ReactNode[] = [];
    let end = 0;
    for (const [from, to] of places) {
      parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
      end = to;
    }
    return [...parts, text.slice(end)];
  }, [text, search, isPhone]);
}
