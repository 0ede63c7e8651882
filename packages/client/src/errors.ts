import type { Problem, ProblemCode } from './wire.ts';

/** What an {@link ApiError} is made of. */
export interface ApiErrorInit {
  status: number;
  problem?: Problem | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
}

/**
 * The service answered, and not with a 2xx. Thrown by the service layer; network failures and
 * aborts are not wrapped in it, they arrive as `fetch` threw them.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The problem document; `undefined` when something in between answered in the service's place. */
  readonly problem: Problem | undefined;
  /** Seconds to wait before asking again, when the service said so. */
  readonly retryAfter: number | undefined;
  /** What to quote to support. */
  readonly requestId: string | undefined;

  constructor({ status, problem, retryAfter, requestId }: ApiErrorInit) {
    super(problem ? `${status} ${problem.title}: ${problem.detail}` : `HTTP status ${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }

  /** The problem's code, to decide on: `'customer-not-found'`, `'rate-limited'`… */
  get code(): ProblemCode | undefined {
    return this.problem?.code;
  }
}

/**
 * The service answered 2xx with a body that is not what it promised. Tells the place and the type
 * found there, never the value: it may be personal data.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  /** Where in the body, for example `data[3].created_at`. */
  readonly path: string;

  constructor(path: string, expected: string, value: unknown) {
    super(`${path}: expected ${expected}, got ${typeName(value)}`);
    this.path = path;
  }
}

/**
 * Tells an {@link ApiError}, of any code or of the one given. Goes by name, so that errors of
 * another copy of this package are known too.
 *
 * @example
 * if (isApiError(error, 'customer-not-found')) return <NotFound />;
 */
export function isApiError(error: unknown, code?: ProblemCode): error is ApiError {
  return isNamed(error, 'ApiError') && (code === undefined || (error as ApiError).code === code);
}

/** Tells a {@link ContractError}; by name, like {@link isApiError}. */
export function isContractError(error: unknown): error is ContractError {
  return isNamed(error, 'ContractError');
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
