import { useSyncExternalStore } from 'react';

/** Must match the media query in styles/page.css that shows the list or the customer, not both. */
const narrow = '(max-width: 47.5em), (max-height: 30em)';

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
