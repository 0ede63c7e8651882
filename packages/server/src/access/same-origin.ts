import type { FastifyRequest } from 'fastify';

/** Where people reach the console, if that is configured, and other places that may serve it. */
export interface Origins {
  own: string | undefined;
  others: readonly string[];
}

/**
 * Whether the request comes from this server's console or from a configured origin. Browsers send
 * Sec-Fetch-Site and Origin, which pages cannot forge. A request with neither does not come from a
 * browser, so it cannot be cross-site request forgery.
 */
export function isFromOurPages({ headers }: FastifyRequest, { own, others }: Origins): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && (origin === own || others.includes(origin))) return true;
  // `none`: the user typed the URL or opened a bookmark, which can only be a GET.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
