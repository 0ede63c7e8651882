import type { FastifyRequest } from 'fastify';

/**
 * Whether the page that makes this request is our own console, or one that the configuration names.
 * Browsers tell it in headers that no page can forge; a request with neither comes from no browser, so
 * nobody was lured into it.
 */
export function isFromOurPages({ headers }: FastifyRequest, consoleOrigins: readonly string[]) {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && consoleOrigins.includes(origin)) return true;
  // `none`: typed into the address bar, where only a read can come from.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
