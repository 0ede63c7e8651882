/** Turns an error into a message: what happened and what to do. */
import { isApiError, isContractError } from '@clientele/client';
import type { Text } from '../text/text.ts';
import type { MessageName } from '../text/messages.ts';

export interface Explanation {
  title: string;
  text: string;
  /** Identifies the request in the server's log. */
  requestId: string | undefined;
  canRetry: boolean;
  mayPass: boolean;
}

type Kind =
  | 'offline'
  | 'unreachable'
  | 'intercepted'
  | 'unavailable'
  | 'rateLimited'
  | 'recordsUsedUp'
  | 'timeout'
  | 'forbidden'
  | 'badSearch'
  | 'badSort'
  | 'notFound'
  | 'bug';

const passing = new Set<Kind>(['unreachable', 'intercepted', 'unavailable', 'rateLimited']);

/** It may pass by itself, and trying again costs the server little. */
export const mayPass = (error: Error): boolean => passing.has(kindOf(error));

export function explain(error: Error | 'offline', { t, locale }: Text): Explanation {
  const kind = error === 'offline' ? error : kindOf(error);
  const requestId = isApiError(error) ? error.requestId : undefined;
  return {
    title: t(`problem.${kind}.title` satisfies MessageName),
    text: t(`problem.${kind}.text` satisfies MessageName, { time: nextDay(locale) }),
    requestId,
    mayPass: passing.has(kind),
    canRetry: !['notFound', 'badSearch', 'badSort', 'forbidden', 'recordsUsedUp'].includes(kind),
  };
}

/** The local time of the next midnight in UTC, when the records of a day are counted from zero. */
function nextDay(locale: string): string {
  const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
  return midnight.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
}

/** When the server accepts the next request, like `Date.now()`; 0 if it did not set a time. */
export function retryAt(error: Error, failedAt: number): number {
  const seconds = isApiError(error) ? error.retryAfter : undefined;
  return seconds === undefined ? 0 : failedAt + seconds * 1000;
}

function kindOf(error: Error): Kind {
  if (!isApiError(error)) {
    // A whole body that is not ours is another page, for example of a public Wi-Fi.
    if (isContractError(error) && error.path === 'body') return 'intercepted';
    // `fetch` throws a TypeError when no response arrived.
    if (!(error instanceof TypeError)) return 'bug';
    return navigator.onLine ? 'unreachable' : 'offline';
  }
  switch (error.status) {
    case 400:
      return error.code === 'sort-not-available' ? 'badSort' : 'badSearch';
    case 403:
      return 'forbidden';
    case 404:
      return 'notFound';
    case 429:
      return error.code === 'records-used-up' ? 'recordsUsedUp' : 'rateLimited';
    case 502:
    case 503:
      return 'unavailable';
    case 504:
      return 'timeout';
    default:
      return 'bug';
  }
}
