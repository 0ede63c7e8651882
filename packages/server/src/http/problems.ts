/** Every error response is an RFC 9457 problem document. */
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

/** May be thrown anywhere while a request is handled; the error handler turns it into the response. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: ParameterProblem[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail = details[code], options: ProblemOptions = {}) {
    // Without a stack, which would cost more than the rest of a refusal. A cause has its own.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code, options);
    Error.stackTraceLimit = stackTraceLimit;
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

/** What is wrong and what to do, for the reader of the response. Never a value that was sent. */
const details: Record<ProblemCode, string> = {
  'invalid-page': 'The page number is not valid. /docs gives the accepted range.',
  'invalid-per-page': 'The page size is not valid. /docs gives the accepted range.',
  'invalid-search': 'The search text is not valid. Send percent-encoded UTF-8 without NUL.',
  'search-too-long': 'The search text is too long. Shorten it, or use fewer terms.',
  'invalid-filter': 'A filter is not valid. /docs gives the accepted values.',
  'invalid-buckets': 'The number of buckets is not valid. /docs gives the accepted range.',
  'invalid-sort': 'The order is not valid. /docs gives the accepted values.',
  'sort-not-available':
    'The list cannot be sorted by this field yet. An operator can switch it on: clientele prepare sort FIELD',
  'unknown-parameter': 'A parameter is not known. /docs lists the parameters of each route.',
  'repeated-parameter': 'A parameter appears more than once. Send each parameter once.',
  'malformed-request': 'The request cannot be read. Check its syntax, headers and body.',
  unauthenticated: 'Send a valid access key: Authorization: Bearer <key>.',
  'insufficient-scope': 'A scope is missing. Use an access key that has it.',
  'customer-not-found': 'No customer has this identifier.',
  'route-not-found': 'There is nothing at this path. /docs lists the routes.',
  'method-not-allowed': 'This path supports only GET and HEAD.',
  'not-acceptable':
    'Responses are application/json, which the Accept header excludes. Accept that type.',
  'request-timeout': 'The request took too long to arrive. Send it again.',
  'uri-too-long': 'The URL is longer than 4 KiB. Shorten it.',
  'headers-too-large': 'The headers are larger than 8 KiB. Send fewer or shorter headers.',
  'rate-limited': 'Too many requests. Try again after the number of seconds in Retry-After.',
  'records-used-up':
    'You have been shown as many customers as you may be shown in one day. Try again after the number of seconds in Retry-After, when the next day begins in UTC.',
  'internal-error':
    'An unexpected error occurred on the server. Quote request_id when you report it.',
  overloaded: 'The server is overloaded. Try again after the number of seconds in Retry-After.',
  'database-unavailable':
    'The database is not available. Try again after the number of seconds in Retry-After.',
  'audit-unavailable':
    'The answer could not be recorded in the audit, so it was not sent. Try again after the number of seconds in Retry-After.',
  'database-mismatch':
    'This instance cannot keep totals exact: its connections reach different databases, or the triggers of the change log are disabled. Its operator has to run: clientele doctor',
  'erasures-missing':
    'The database was restored from a backup that lacks erasures, so answers could show people who were erased. Its operator has to run: clientele erase --reapply LEDGER',
  'masking-not-ready':
    'This caller may not see contact details, and the directory is not prepared to hide them yet. Its operator has to run: clientele prepare masking',
  'replica-stale':
    'The replica that this instance reads from is stale. Send requests to another instance.',
  'shutting-down': 'This instance is shutting down. Send requests to another instance.',
  'query-timeout':
    'The query took too long. Try again in some seconds: the count of a broad search continues, and the next request finds it.',
};

/** A detail of `database-mismatch`: the log of the instance names the pooler's fault and what to do about it. */
export const poolerDetail =
  'A connection pooler does not keep the sessions of this instance apart, or refuses their settings. An operator has to set the pooler to session mode, or connect the instance to PostgreSQL directly.';

const defaultHeaders: Partial<Record<ProblemCode, Record<string, string>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="clientele"' },
  'method-not-allowed': { allow: 'GET, HEAD' },
  'rate-limited': { 'retry-after': '1' },
  overloaded: { 'retry-after': '1' },
  'database-unavailable': { 'retry-after': '2' },
  'audit-unavailable': { 'retry-after': '2' },
  'database-mismatch': { 'retry-after': '5' },
  'erasures-missing': { 'retry-after': '30' },
  'masking-not-ready': { 'retry-after': '30' },
  'replica-stale': { 'retry-after': '5' },
  'shutting-down': { 'retry-after': '1' },
  'malformed-request': { connection: 'close' },
};
