import { useEffect, useRef } from 'react';

const firstMs = 5_000;
const longestMs = 30_000;
/** A failure so soon after the last attempt is the same one. */
const sameMs = 60_000;

/** Of the whole tab: it has one server. */
let waitMs = firstMs;
let lastTriedAt = -Infinity;

/**
 * Tries again by itself while something has failed: after five seconds, then later and later, and never before the
 * server accepts the next request. A hidden tab waits until it is seen.
 */
export function useRecovery(hasFailed: boolean, at: number, retry: () => unknown): void {
  const again = useRef(retry);
  useEffect(() => {
    again.current = retry;
  });
  useEffect(() => {
    if (!hasFailed) return undefined;
    const tryAgain = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', tryAgain);
      lastTriedAt = Date.now();
      void again.current();
    };
    if (Date.now() - lastTriedAt > sameMs) waitMs = firstMs;
    const timer = setTimeout(
      () => {
        waitMs = Math.min(longestMs, waitMs * 2);
        document.addEventListener('visibilitychange', tryAgain);
        tryAgain();
      },
      Math.max(waitMs, at - Date.now() + 100),
    );
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tryAgain);
    };
  }, [hasFailed, at]);
}
