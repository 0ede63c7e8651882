import { ApiError } from './errors.ts';
import type { Problem } from './wire.ts';

/** All that is asked of a `fetch`. The platform's fits; so does a test's `async () => Response.json(…)`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Anything `new Headers(…)` takes. */
export type HeadersInput = NonNullable<ConstructorParameters<typeof Headers>[0]>;

/** GETs JSON. What `fetch` throws passes through; only a status outside 2xx is made an error here. */
export async function getJson(fetch: Fetch, url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw toApiError(response, await response.text());
  return response.json();
}

function toApiError({ status, headers }: Response, body: string): ApiError {
  const problem = parseProblem(body);
  return new ApiError({
    status,
    problem,
    retryAfter: parseRetryAfter(headers.get('retry-after')),
    // Browsers hide the header from other origins unless the service exposes it.
    requestId: headers.get('x-request-id') ?? problem?.request_id,
  });
}

/** A proxy's error page is no problem document, and no reason to lose the status over. */
function parseProblem(body: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isProblem(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  const { title, detail, code } = (value ?? {}) as Partial<Record<keyof Problem, unknown>>;
  return [title, detail, code].every((member) => typeof member === 'string');
}

/** Seconds, from either form of the header: a number of seconds or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
