/** The one way to answer with an error: an RFC 9457 problem document. */
import {
  problems,
  type ParameterProblem,
  type Problem,
  type ProblemCode,
} from '@clientele/contract';

export interface ProblemOptions extends ErrorOptions {
  errors?: ParameterProblem[];
  headers?: Record<string, string>;
}

/** Thrown anywhere on the way of a request; the error handler makes the answer of it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: ParameterProblem[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail = details[code], options: ProblemOptions = {}) {
    super(code, options);
    this.code = code;
    this.detail = detail;
    this.errors = options.errors;
    this.headers = { ...defaultHeaders[code], ...options.headers };
  }

  get status(): number {
    return problems[this.code].status;
  }

  toProblem(requestId: string): Problem {
    return {
      type: `/docs#${this.code}`,
      title: problems[this.code].title,
      status: this.status,
      detail: this.detail,
      code: this.code,
      request_id: requestId,
      ...(this.errors && { errors: this.errors }),
    };
  }
}

/** What happened and what to do, for whoever reads the body. Never a value that was sent. */
const details: Record<ProblemCode, string> = {
  'invalid-page': 'The page number is not valid.',
  'invalid-per-page': 'The page size is not valid.',
  'invalid-search': 'The search text is not valid.',
  'search-too-long': 'The search text is too long.',
  'unknown-parameter': 'A parameter is not known here.',
  'repeated-parameter': 'A parameter is given more than once.',
  'malformed-request': 'The request is not well-formed HTTP.',
  unauthenticated: 'Send a valid access key: Authorization: Bearer <key>.',
  'insufficient-scope': 'This access key may not do this. Ask for a key with the scope.',
  'customer-not-found': 'No customer has this identifier.',
  'route-not-found': 'There is nothing at this path. The routes are listed at /docs.',
  'method-not-allowed': 'Only GET and HEAD are allowed here.',
  'not-acceptable': 'Answers are application/json; the Accept header excludes it.',
  'request-timeout': 'The request did not arrive in time.',
  'uri-too-long': 'The address is longer than 4 KiB.',
  'headers-too-large': 'The headers are larger than 8 KiB.',
  'rate-limited': 'This key has used up its requests for now. Wait as Retry-After says.',
  'internal-error': 'Something is wrong on our side. Quote the request id to support.',
  overloaded: 'Too much is going on right now. Try again as Retry-After says.',
  'database-unavailable': 'The database does not answer right now. Try again as Retry-After says.',
  'shutting-down': 'This instance is stopping. Try again; another one will answer.',
  'query-timeout': 'The answer took too long and was given up. A longer search text is quicker.',
};

const defaultHeaders: Partial<Record<ProblemCode, Record<string, string>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="clientele"' },
  'method-not-allowed': { allow: 'GET, HEAD' },
  overloaded: { 'retry-after': '1' },
  'database-unavailable': { 'retry-after': '2' },
  'shutting-down': { 'retry-after': '1' },
  'malformed-request': { connection: 'close' },
};
