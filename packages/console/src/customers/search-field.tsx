import { useEffect, type KeyboardEvent, type RefObject } from 'react';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { maxCodePoints, useSearchText } from './use-search-text.ts';

interface Props {
  field: RefObject<HTMLInputElement | null>;
  /** The search in the address. */
  search: string;
  onSearch: (text: string) => void;
  delay: () => number;
  /** Set when the rows on screen belong to `search` and there is one. */
  onlyMatch: { id: string; name: string } | undefined;
  open: (id: string) => void;
  toFirstRow: () => void;
}

export function SearchField(props: Props) {
  const { field, search, onSearch, delay, onlyMatch, open, toFirstRow } = props;
  const { t } = useText();
  const { text, type, submit, clear } = useSearchText({ search, onSearch, delay });
  const trimmed = text.trim();
  const offered = trimmed !== '' && trimmed === search ? onlyMatch : undefined;

  // The full list is usually searched next. Touch screens would pop up a keyboard.
  useEffect(() => {
    if (search === '' && matchMedia('(pointer: fine)').matches) field.current?.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- only when the field appears
  }, []);

  const clearAndFocus = () => {
    clear();
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (offered) open(offered.id);
      else submit();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      toFirstRow();
    } else if (event.key === 'Escape') {
      // The first press clears the field, the second leaves it, so that single keys work.
      event.preventDefault();
      if (text === '') field.current?.blur();
      else clearAndFocus();
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
      <Offer name={offered?.name} isTooLong={[...trimmed].length > maxCodePoints} />
      {text === '' ? (
        <kbd className="slash" aria-hidden="true">
          /
        </kbd>
      ) : (
        <button
          type="button"
          className="button bare"
          aria-label={t('search.clear')}
          onClick={clearAndFocus}
        >
          <Icon name="close" />
        </button>
      )}
    </search>
  );
}

/** What Enter opens, or that the text is too long. */
function Offer({ name, isTooLong }: { name: string | undefined; isTooLong: boolean }) {
  const { t } = useText();
  return (
    <span id="search-offer" className="offer" role="status">
      {name !== undefined && (
        <>
          <kbd>↵</kbd> <span dir="auto">{t('search.open', { name })}</span>
        </>
      )}
      {isTooLong && t('search.tooLong')}
    </span>
  );
}
