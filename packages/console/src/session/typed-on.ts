/**
 * A session may end while somebody types a search. What is typed next belongs to the search, not to the field of the
 * access key that has appeared in its place.
 */
import { useEffect } from 'react';
import { go, readAddress } from '../address.ts';
import { isThirdLevel } from '../ui/use-keys.ts';

const pauseMs = 1_000;

let lastTypedAt = -Infinity;
let wasTyping = false;
/** With the space after a word, which the address has not. */
let typed = '';

/** With every letter of a search. */
export function noteTyping(text: string): void {
  lastTypedAt = performance.now();
  typed = text;
}

export function forgetTyping(): void {
  wasTyping = false;
  typed = '';
}

/** The search of the address, as it was typed. */
export const asTyped = (search: string): string => (typed.trim() === search ? typed : search);

/** Whether the search was interrupted by the sign-in. Once. */
export function takeInterrupted(): boolean {
  const was = wasTyping;
  wasTyping = false;
  return was;
}

/** Gives the focus to the field of the key, but not while somebody is still typing a search: those letters continue it. */
export function useFocusAfterTyping(focus: (() => void) | null): void {
  useEffect(() => {
    if (!focus) return undefined;
    if (performance.now() - lastTypedAt > pauseMs) {
      focus();
      return undefined;
    }
    wasTyping = true;
    const giveFocus = () => {
      stop();
      focus();
    };
    let timer = setTimeout(giveFocus, pauseMs);
    const typeOn = (event: KeyboardEvent) => {
      // A key is pasted: that is for the field.
      if ((event.ctrlKey || event.metaKey || event.altKey) && !isThirdLevel(event)) {
        giveFocus();
        return;
      }
      const isLetter = event.key.length === 1;
      if (!isLetter && event.key !== 'Backspace') return;
      event.preventDefault();
      clearTimeout(timer);
      timer = setTimeout(giveFocus, pauseMs);
      const address = readAddress(location);
      if (!address) return;
      const text = asTyped(address.search);
      typed = isLetter ? text + event.key : text.slice(0, -1);
      go({ ...address, search: typed, page: 1, customer: null, alone: false }, 'replace');
    };
    const stop = () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', typeOn, true);
      document.removeEventListener('pointerdown', stop, true);
    };
    document.addEventListener('keydown', typeOn, true);
    document.addEventListener('pointerdown', stop, true);
    return stop;
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the page appears
  }, []);
}
