import { ApiError } from './errors.ts';
import type { Problem } from './wire.ts';

/** The part of `fetch` that the client calls. In tests, `async () => Response.json(…)` is enough. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Anything that `new Headers(…)` accepts. */
export type HeadersInput = NonNullable<ConstructorParameters<typeof Headers>[0]>;

/** Fetches JSON. Throws an `ApiError` if the status is not 2xx; what `fetch` throws passes through. */
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
    // Across origins, browsers hide the header unless the service exposes it.
    requestId: headers.get('x-request-id') ?? problem?.request_id,
  });
}

/** Returns `undefined` for any other body, such as a proxy's error page, so the status is not lost. */
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

/** Parses both forms of the header, seconds and a date, into seconds. */
function parseRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
