import { useEffect, useRef, useState } from 'react';

/** The result of {@link useDebouncedSearch}. */
export interface DebouncedSearch {
  /** The text of the search field. */
  text: string;
  /** Changes the text, and searches for it when typing pauses. */
  setText: (text: string) => void;
  /** Searches for the text now, for example when Enter is pressed. */
  searchNow: () => void;
}

/**
 * The state of a search field above a search that is kept elsewhere, such as in the URL. Calls
 * `onSearch` with the trimmed text when no key was pressed for `delay` milliseconds. If `search`
 * changes for another reason, such as the Back button, the text follows it.
 *
 * @example
 * const { page, search, goTo } = useListUrl();
 * const { text, setText } = useDebouncedSearch(search, (next) => goTo(1, next));
 */
export function useDebouncedSearch(
  search: string,
  onSearch: (search: string) => void,
  delay = 250,
): DebouncedSearch {
  const [text, setText] = useState(search);
  /** The search that the text was last in step with: passed to `onSearch`, or received. */
  const [known, setKnown] = useState(search);
  const [received, setReceived] = useState(search);
  if (search !== received) {
    setReceived(search);
    // A search of our own may arrive after more was typed, which must stay.
    if (search !== known) {
      setKnown(search);
      setText(search);
    }
  }

  const send = (next: string) => {
    setKnown(next);
    onSearch(next);
  };
  // The timer calls the latest function: a new `onSearch` must not restart it.
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });

  const next = text.trim();
  const isChanged = next !== known.trim();
  useEffect(() => {
    if (!isChanged) return undefined;
    const timer = setTimeout(() => latest.current(next), delay);
    return () => clearTimeout(timer);
  }, [next, isChanged, delay]);

  const searchNow = () => {
    if (isChanged) send(next);
  };
  return { text, setText, searchNow };
}
