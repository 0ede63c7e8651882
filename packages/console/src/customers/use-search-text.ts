import { useEffect, useRef, useState } from 'react';

export const maxCodePoints = 256;

interface Options {
  /** The search in the address. */
  search: string;
  onSearch: (text: string) => void;
  /** How long typing has to pause before the search is sent, in milliseconds. */
  delay: () => number;
}

/** The text in the search field, which becomes the search when typing pauses. */
export function useSearchText({ search, onSearch, delay }: Options) {
  const [text, setText] = useState(search);
  const sent = useRef(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Back and forward change the address; a search sent from here is already in the field.
  useEffect(() => {
    if (search === sent.current) return;
    sent.current = search;
    clearTimeout(timer.current);
    setText(search);
  }, [search]);

  const send = (value: string) => {
    clearTimeout(timer.current);
    const wanted = [...value.trim()].slice(0, maxCodePoints).join('');
    sent.current = wanted;
    onSearch(wanted);
  };

  return {
    text,
    type: (value: string) => {
      setText(value);
      clearTimeout(timer.current);
      timer.current = setTimeout(send, delay(), value);
    },
    /** Sends the text without waiting. */
    submit: () => send(text),
    clear: () => {
      setText('');
      send('');
    },
  };
}
