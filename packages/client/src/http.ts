import { ApiError, ContractError } from './errors.ts';
import type { Problem } from './wire.ts';

/** The part of `fetch` that the client calls. In tests, `async () => Response.json(…)` is enough. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Anything that `new Headers(…)` accepts. */
export type HeadersInput = NonNullable<ConstructorParameters<typeof Headers>[0]>;

/**
 * Fetches JSON. Throws an `ApiError` if the status is not 2xx and a `ContractError` if the body is not
 * JSON. What `fetch` throws passes through.
 */
export async function getJson(fetch: Fetch, url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const { ok, status, headers } = response;
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Reported below: the `SyntaxError` would quote a part of the text, which may be personal data.
  }
  if (!ok) {
    // Other bodies, such as a proxy's error page, are ignored: the status says what happened.
    const problem = isProblem(body) ? body : undefined;
    const retryAfter = parseRetryAfter(headers.get('retry-after') ?? '');
    // Across origins, browsers hide the header unless the service exposes it.
    const requestId = headers.get('x-request-id') ?? problem?.request_id;
    throw new ApiError({ status, problem, retryAfter, requestId });
  }
  if (body === undefined) {
    throw new ContractError('body', 'JSON', text, headers.get('content-type') ?? undefined);
  }
  return body;
}

function isProblem(value: unknown): value is Problem {
  const { title, detail, code } = (value ?? {}) as Partial<Record<keyof Problem, unknown>>;
  return [title, detail, code].every((member) => typeof member === 'string');
}

/** Parses both forms of the header, seconds and a date, into seconds. */
function parseRetryAfter(header: string): number | undefined {
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
