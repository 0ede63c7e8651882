import type { Problem, ProblemCode } from './wire.ts';

/** The constructor options of {@link ApiError}. */
export interface ApiErrorInit {
  status: number;
  problem?: Problem | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
}

/**
 * The service responded with a status other than 2xx. Thrown by the service layer. Network failures
 * and aborts are not wrapped: they are rethrown as `fetch` threw them.
 */
export class ApiError<
  Code extends ProblemCode | undefined = ProblemCode | undefined,
> extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  declare readonly status: number;
  /** The problem document. `undefined` if the body is not one, for example a proxy's error page. */
  declare readonly problem: Code extends ProblemCode ? Problem : undefined;
  /** Seconds to wait before retrying, if the response has a `Retry-After` header. */
  declare readonly retryAfter: number | undefined;
  /** Identifies the request. Quote it when you contact support. */
  declare readonly requestId: string | undefined;

  constructor(init: ApiErrorInit) {
    const { status, problem } = init;
    super(problem ? `${status} ${problem.title}: ${problem.detail}` : `HTTP status ${status}`);
    Object.assign(this, init);
  }

  /** The problem's code, such as `'customer-not-found'` or `'rate-limited'`. */
  get code(): Code {
    return this.problem?.code as Code;
  }
}

/**
 * The response is 2xx, but the body is not JSON or does not match the contract. The message gives the
 * path and the type found there, never the value, because it may be personal data.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  /**
   * The path within the body, for example `data[3].created_at`. `body` if the whole body is wrong, for
   * example because a captive portal or a proxy answered with its own page.
   */
  declare readonly path: string;
  /** It has none. Only an {@link ApiError} has a code. */
  declare readonly code?: undefined;

  constructor(
    path: string,
    expected: string,
    value: unknown,
    found: string = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value,
  ) {
    super(`${path}: expected ${expected}, got ${found}`);
    this.path = path;
  }
}

/**
 * An error that is not ours: that of `fetch` if the network failed (a `TypeError`) or the request was aborted, or one
 * that your own `fetch` or `headers` function threw.
 */
export interface FetchError extends Error {
  /** That of a `DOMException`, never one of the service's codes. */
  readonly code?: number | undefined;
}

/**
 * What a request can fail with. {@link isContractError} and {@link isApiError} tell the three kinds apart, and a
 * comparison of `code` narrows to an {@link ApiError}.
 *
 * @example
 * if (error.code === 'rate-limited') return `Wait ${error.retryAfter ?? 60} seconds.`;
 */
export type CustomersError = ApiError | ContractError | FetchError;

/**
 * Returns whether an error is an {@link ApiError}, optionally with a given code. Compares the name
 * instead of the class, so it also recognizes errors from another copy of this package.
 *
 * @example
 * if (isApiError(error, 'customer-not-found')) return <NotFound />;
 */
export function isApiError<Code extends ProblemCode | undefined = ProblemCode | undefined>(
  error: unknown,
  code?: Code,
): error is ApiError<Code> {
  return isNamed(error, 'ApiError') && (code === undefined || (error as ApiError).code === code);
}

/** Returns whether an error is a {@link ContractError}, by its name, like {@link isApiError}. */
export function isContractError(error: unknown): error is ContractError {
  return isNamed(error, 'ContractError');
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
