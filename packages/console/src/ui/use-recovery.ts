import { useEffect, useRef } from 'react';

const firstMs = 5_000;
const longestMs = 30_000;

/**
 * Tries again by itself while something has failed: when the server accepts the next request, if it said so, else after
 * five seconds, and later and later. A hidden tab waits until it is seen.
 */
export function useRecovery(hasFailed: boolean, at: number, retry: () => unknown): void {
  const waitMs = useRef(firstMs);
  const again = useRef(retry);
  useEffect(() => {
    again.current = retry;
  });
  useEffect(() => {
    if (!hasFailed) return undefined;
    const delay = at > Date.now() ? at - Date.now() + 100 : waitMs.current;
    const timer = setTimeout(() => {
      waitMs.current = Math.min(longestMs, waitMs.current * 2);
      if (document.visibilityState === 'visible') void again.current();
      else document.addEventListener('visibilitychange', () => again.current(), { once: true });
    }, delay);
    return () => clearTimeout(timer);
  }, [hasFailed, at]);
}
