import { useEffect, useRef } from 'react';

const shortDelayMs = 75;
const longDelayMs = 150;
const quickAnswerMs = 200;

/**
 * How long typing has to pause before a search is sent. A server that answered the last search
 * quickly can take a request per keystroke; one that is slow, failing or still busy gets fewer.
 */
export function useSearchDelay(
  isWaiting: boolean,
  hasFailed: boolean,
  retryAt: number,
): () => number {
  const lastAnswerMs = useRef(Infinity);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const askedAt = performance.now();
    return () => {
      lastAnswerMs.current = performance.now() - askedAt;
    };
  }, [isWaiting]);
  // After the effect above, so that a quick failure does not count as a quick answer.
  useEffect(() => {
    if (hasFailed) lastAnswerMs.current = Infinity;
  }, [hasFailed]);
  return () => {
    // The server has said when it accepts the next one.
    const blockedMs = retryAt - Date.now();
    if (blockedMs > 0) return blockedMs + shortDelayMs;
    return !isWaiting && lastAnswerMs.current < quickAnswerMs ? shortDelayMs : longDelayMs;
  };
}
