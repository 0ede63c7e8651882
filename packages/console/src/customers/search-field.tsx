import { limits } from '@clientele/client';
import { useEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { go } from '../address.ts';
import { noteTyping, takeInterrupted } from '../session/typed-on.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { addressOfSearch } from './open-search.ts';
import type { SearchText } from './use-search-text.ts';

interface Props {
  field: RefObject<HTMLInputElement | null>;
  text: SearchText;
  /** How long typing has to pause before a search is sent, in milliseconds. */
  delay: () => number;
  /** The rows on screen belong to the text. */
  isAnswered: boolean;
  /** The customer, if the text has one match. */
  onlyMatch: { id: string; name: string } | undefined;
  /** The first suggestion, if the text has no match. */
  suggested: string | undefined;
  /** Contact details are hidden, and not searched. */
  isMasked: boolean;
  open: (id: string) => void;
  clear: () => void;
  toFirstRow: () => void;
}

export function SearchField(props: Props) {
  const { field, delay, isAnswered, onlyMatch, suggested, isMasked, open, clear, toFirstRow } =
    props;
  const { text, typed, type, flush } = props.text;
  const { t } = useText();
  const offered = typed === '' ? undefined : onlyMatch;

  // Enter pressed before the answer opens the only match when it arrives.
  const isOpening = useRef(false);
  useEffect(() => {
    if (!isAnswered || !isOpening.current) return;
    isOpening.current = false;
    if (offered) open(offered.id);
  }, [isAnswered, offered, open]);

  useFirstFocus(field, typed);

  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      flush();
      if (offered) open(offered.id);
      else if (suggested !== undefined) go(addressOfSearch(suggested), 'push');
      else isOpening.current = !isAnswered;
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      toFirstRow();
    } else if (event.key === 'Escape') {
      // The first press clears the field, the second leaves it, so that single keys work.
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
        placeholder={t(isMasked ? 'search.placeholderMasked' : 'search.placeholder')}
        value={text}
        onChange={(event) => {
          isOpening.current = false;
          // The key that leads here is pressed by habit, also where the field has the focus.
          const typedOn = event.target.value.replace(/^\//, '');
          noteTyping(typedOn);
          type(typedOn, delay());
        }}
        onBlur={() => (isOpening.current = false)}
        onKeyDown={press}
      />
      <Offer name={offered?.name} suggested={suggested} isTooLong={isTooLong(text)} />
      {text === '' ? (
        <kbd className="slash" aria-hidden="true">
          /
        </kbd>
      ) : (
        <ClearButton clear={clear} />
      )}
    </search>
  );
}

/** The full list is usually searched next. Touch screens would pop up a keyboard. */
function useFirstFocus(field: Props['field'], typed: string): void {
  useEffect(() => {
    const isUsual = typed === '' && matchMedia('(pointer: fine)').matches;
    if (takeInterrupted() || isUsual) field.current?.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- only when the field appears
  }, []);
}

function ClearButton({ clear }: Pick<Props, 'clear'>) {
  const { t } = useText();
  return (
    <button type="button" className="button bare" aria-label={t('search.clear')} onClick={clear}>
      <Icon name="close" />
    </button>
  );
}

const isTooLong = (text: string) => [...text.trim()].length > limits.search.maxCodePoints;

interface OfferProps {
  name: string | undefined;
  suggested: string | undefined;
  isTooLong: boolean;
}

/** What Enter opens or searches for, or that the text is too long. */
function Offer({ name, suggested, isTooLong }: OfferProps) {
  const { t } = useText();
  const offer =
    name !== undefined
      ? t('search.open', { name })
      : suggested !== undefined && t('search.suggested', { search: suggested });
  return (
    <span id="search-offer" className="offer" role="status">
      {offer && (
        <>
          <kbd>↵</kbd> <span dir="auto">{offer}</span>
        </>
      )}
      {isTooLong && t('search.tooLong')}
    </span>
  );
}
