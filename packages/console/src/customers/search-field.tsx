import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';

interface Props {
  field: RefObject<HTMLInputElement | null>;
  /** The search of the address. */
  search: string;
  onSearch: (text: string) => void;
  /** The only match, once the rows are those of the text in the field. */
  onlyMatch: { id: string; name: string } | undefined;
  open: (id: string) => void;
  toFirstRow: () => void;
}

const debounceMs = 150;
const maxCodePoints = 256;

export function SearchField({ field, search, onSearch, onlyMatch, open, toFirstRow }: Props) {
  const { t } = useText();
  const [text, setText] = useState(search);
  const sent = useRef(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Back and forward change the address under us; what we sent ourselves is already in the field.
  useEffect(() => {
    if (search === sent.current) return;
    sent.current = search;
    clearTimeout(timer.current);
    setText(search);
  }, [search]);

  // Whoever opens the whole list is about to search it; on a touch screen a keyboard would pop up.
  useEffect(() => {
    if (search === '' && matchMedia('(pointer: fine)').matches) field.current?.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- on arrival only
  }, []);

  const send = (value: string) => {
    clearTimeout(timer.current);
    const wanted = [...value.trim()].slice(0, maxCodePoints).join('');
    sent.current = wanted;
    onSearch(wanted);
  };
  const type = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(send, debounceMs, value);
  };
  const clear = () => {
    setText('');
    send('');
    field.current?.focus();
  };

  const offered = onlyMatch && text.trim() === search && text.trim() !== '' ? onlyMatch : undefined;
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (offered) open(offered.id);
      else send(text);
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      toFirstRow();
    } else if (event.key === 'Escape') {
      // Once to clear, once more to leave for the keys that are commands.
      event.preventDefault();
      if (text === '') field.current?.blur();
      else clear();
    }
  };

  return (
    <search className="search">
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
        aria-label={t('search.label')}
        aria-keyshortcuts="/"
        aria-describedby="search-offer"
        placeholder={t('search.placeholder')}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
      />
      <span id="search-offer" className="offer" role="status">
        {offered && (
          <>
            <kbd>↵</kbd> <span dir="auto">{t('search.open', { name: offered.name })}</span>
          </>
        )}
        {[...text.trim()].length > maxCodePoints && t('search.tooLong')}
      </span>
      {text === '' ? (
        <kbd className="slash" aria-hidden="true">
          /
        </kbd>
      ) : (
        <button
          type="button"
          className="button bare"
          aria-label={t('search.clear')}
          onClick={clear}
        >
          <Icon name="close" />
        </button>
      )}
    </search>
  );
}
