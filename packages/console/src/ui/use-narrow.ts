import { useSyncExternalStore } from 'react';

/** The screens of styles/page.css that show one thing at a time. */
const narrow = '(max-width: 760px), (max-height: 480px)';

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
