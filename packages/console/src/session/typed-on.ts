/**
 * A session may end while somebody types a search. What is typed next belongs to the search, not to the field of the
 * access key that has appeared in its place.
 */
import { useEffect } from 'react';
import { go, readAddress } from '../address.ts';

const pauseMs = 1_000;

let lastTypedAt = -Infinity;
let wasTyping = false;

/** With every letter of a search. */
export function noteTyping(): void {
  lastTypedAt = performance.now();
}

export function forgetTyping(): void {
  wasTyping = false;
}

/** Whether the search was interrupted by the sign-in. Once. */
export function takeInterrupted(): boolean {
  const was = wasTyping;
  wasTyping = false;
  return was;
}

/** Gives the focus to the field of the key, but not while somebody is still typing a search: those letters continue it. */
export function useFocusAfterTyping(focus: () => void): void {
  useEffect(() => {
    if (performance.now() - lastTypedAt > pauseMs) {
      focus();
      return undefined;
    }
    wasTyping = true;
    let timer = setTimeout(focus, pauseMs);
    const typeOn = (event: KeyboardEvent) => {
      // A key is pasted: that is for the field.
      if (event.ctrlKey || event.metaKey || event.altKey) {
        stop();
        focus();
        return;
      }
      const isLetter = event.key.length === 1;
      if (!isLetter && event.key !== 'Backspace') return;
      event.preventDefault();
      clearTimeout(timer);
      timer = setTimeout(() => {
        stop();
        focus();
      }, pauseMs);
      const address = readAddress(location);
      if (!address) return;
      typed = isLetter ? typed + event.key : typed.slice(0, -1);
      go({ ...address, search: typed, page: 1, customer: null, alone: false }, 'replace');
    };
    let typed = readAddress(location)?.search ?? '';
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
