/**
 * What the service and its clients agree on, as plain TypeScript.
 * Nothing here runs beyond a few constants, and nothing is imported.
 */

/** A customer as it travels: every field present, names exact. */
export interface WireCustomer {
  /** Customer identifier: a UUID, lower case, with hyphens. */
  uuid: string;
  full_name: string;
  email_address: string;
  phone_number: string | null;
  company_name: string | null;
  is_verified: boolean;
  /** Count of orders. */
  total_orders: number;
  /** Monetary amount in minor units; negative after refunds. */
  lifetime_value_cents: number;
  /** ISO 8601, UTC, milliseconds; null when there is no order. */
  last_order_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
}

export interface WirePagination {
  /** The page asked for, counted from 1. */
  page: number;
  /** The page size used. */
  per_page: number;
  /** The exact number of customers that match, of the same instant as `data`. */
  total: number;
}

export interface WireCustomerList {
  data: WireCustomer[];
  pagination: WirePagination;
}

export interface WireCustomerDetail {
  data: WireCustomer;
}

/** The bounds of what may be asked and of what a customer may hold. */
export const limits = {
  page: { min: 1, max: 1_000_000_000, default: 1 },
  perPage: { min: 1, max: 100, default: 25 },
  search: { maxCodePoints: 256, maxTerms: 8 },
  customer: {
    fullName: { maxLength: 300 },
    emailAddress: { maxLength: 320 },
    phoneNumber: { maxLength: 64 },
    companyName: { maxLength: 300 },
    totalOrders: { min: 0, max: Number.MAX_SAFE_INTEGER },
    lifetimeValueCents: { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  },
} as const;

/**
 * Every error the service answers with: its status and its title.
 * `internal-error` is a bug; no known input or fault leads to it.
 */
export const problems = {
  'invalid-page': { status: 400, title: 'Invalid page' },
  'invalid-per-page': { status: 400, title: 'Invalid page size' },
  'invalid-search': { status: 400, title: 'Invalid search' },
  'search-too-long': { status: 400, title: 'Search too long' },
  'unknown-parameter': { status: 400, title: 'Unknown parameter' },
  'repeated-parameter': { status: 400, title: 'Repeated parameter' },
  'malformed-request': { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  'insufficient-scope': { status: 403, title: 'Insufficient scope' },
  'customer-not-found': { status: 404, title: 'Customer not found' },
  'route-not-found': { status: 404, title: 'Route not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'uri-too-long': { status: 414, title: 'URI too long' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'Headers too large' },
  'internal-error': { status: 500, title: 'Internal error' },
  overloaded: { status: 503, title: 'Overloaded' },
  'database-unavailable': { status: 503, title: 'Database unavailable' },
  'shutting-down': { status: 503, title: 'Shutting down' },
  'query-timeout': { status: 504, title: 'Query timeout' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** The codes a single parameter can be at fault with. */
export const parameterProblemCodes = [
  'invalid-page',
  'invalid-per-page',
  'invalid-search',
  'search-too-long',
  'unknown-parameter',
  'repeated-parameter',
] as const satisfies ProblemCode[];

export type ParameterProblemCode = (typeof parameterProblemCodes)[number];

export interface ParameterProblem {
  /** The parameter's name; a name we do not know is cut to 32 plain characters. */
  parameter: string;
  code: ParameterProblemCode;
  /** What would be right, in words. Never the value that was sent. */
  detail: string;
}

/** An RFC 9457 problem document: the body of every error. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  request_id: string;
  /** Every parameter at fault, all at once. */
  errors?: ParameterProblem[];
}

/** What an access key may do. */
export const scopes = ['customers:list', 'customers:lookup'] as const;
export type Scope = (typeof scopes)[number];
