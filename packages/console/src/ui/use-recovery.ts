import { useEffect, useRef } from 'react';
import { mayPass, retryAt } from './explain.ts';

const firstMs = 5_000;
const longestMs = 30_000;
/** A failure so soon after the last attempt is the same one. */
const sameMs = 60_000;
/** What fails together is tried again together, and waits only once longer. */
const togetherMs = 1_000;

/** Of the whole tab: it has one server. */
let waitMs = firstMs;
let lastTriedAt = -Infinity;

/**
 * Tries again by itself while something has failed: after five seconds, then later and later, and never before the
 * server accepts the next request. A hidden tab waits until it is seen. `failedAt` changes with every failure, where
 * the error does not go away in between: the one of a query with data stays while its request is sent again.
 */
export function useRecovery(
  hasFailed: boolean,
  at: number,
  retry: () => unknown,
  failedAt = 0,
): void {
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
        if (Date.now() - lastTriedAt > togetherMs) waitMs = Math.min(longestMs, waitMs * 2);
        document.addEventListener('visibilitychange', tryAgain);
        tryAgain();
      },
      Math.max(waitMs, at - Date.now() + 100),
    );
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tryAgain);
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- every failure is tried again
  }, [hasFailed, at, failedAt]);
}

interface Query {
  error: Error | null;
  errorUpdatedAt: number;
  refetch: () => unknown;
}

/** For a query that shows no button. */
export function useQueryRecovery({ error, errorUpdatedAt, refetch }: Query, isWanted = true): void {
  useRecovery(
    isWanted && error !== null && mayPass(error),
    error ? retryAt(error, errorUpdatedAt) : 0,
    refetch,
    errorUpdatedAt,
  );
}
