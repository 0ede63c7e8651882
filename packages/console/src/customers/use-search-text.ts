import { limits } from '@clientele/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { asTyped } from '../session/typed-on.ts';

const { maxCodePoints } = limits.search;

/** The search that a text stands for. */
const searchOf = (text: string): string => [...text.trim()].slice(0, maxCodePoints).join('');

interface Options {
  /** The search in the address. */
  search: string;
  onSearch: (search: string) => void;
}

/** The text in the search field, which becomes the address's search when typing pauses. */
export function useSearchText({ search, onSearch }: Options) {
  const [field, setField] = useState({ text: asTyped(search), search });
  // Back and Forward replace the text; a search that was sent from here is already in the field.
  if (field.search !== search) {
    setField({ text: searchOf(field.text) === search ? field.text : search, search });
  }

  const unsent = useRef<{ text: string; href: string; timer: ReturnType<typeof setTimeout> }>(
    undefined,
  );
  const send = useRef(onSearch);
  useEffect(() => {
    send.current = onSearch;
  });
  // The session may end while somebody is typing: the address keeps the text until they have signed in.
  useEffect(
    () => () => {
      if (unsent.current?.href === location.href) send.current(searchOf(unsent.current.text));
    },
    [],
  );
  // Another address has come first, for example by Back.
  useEffect(() => {
    return () => {
      clearTimeout(unsent.current?.timer);
      unsent.current = undefined;
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs when the search changes
  }, [search]);

  /** Sends what was typed without waiting. */
  const flush = useCallback(() => {
    if (!unsent.current) return;
    const { text, timer } = unsent.current;
    clearTimeout(timer);
    unsent.current = undefined;
    send.current(searchOf(text));
  }, []);

  const type = (text: string, delayMs: number) => {
    setField({ text, search });
    clearTimeout(unsent.current?.timer);
    unsent.current = { text, href: location.href, timer: setTimeout(flush, delayMs) };
  };

  return {
    text: field.text,
    /** The search that the text stands for, sent or not. */
    typed: field.text.trim() === search ? search : searchOf(field.text),
    type,
    flush,
    clear: () => {
      type('', 0);
      flush();
    },
  };
}

export type SearchText = ReturnType<typeof useSearchText>;
