/**
 * The contract between the service and its clients, as plain TypeScript: types and a few constants,
 * with no imports.
 */

/** A customer on the wire. Every field is always present. */
export interface WireCustomer {
  /** Customer identifier: a UUID in lower case, with hyphens. */
  uuid: string;
  full_name: string;
  /** Never empty, except where it is hidden from the caller: then `hidden` of the response lists it. */
  email_address: string;
  /** `null` if there is none, and where it is hidden from the caller. */
  phone_number: string | null;
  company_name: string | null;
  is_verified: boolean;
  /** Number of orders. */
  total_orders: number;
  /** In minor currency units. Refunds can make it negative. */
  lifetime_value_cents: number;
  /** ISO 8601 in UTC, with milliseconds. `null` if the customer has no orders. */
  last_order_at: string | null;
  /** ISO 8601 in UTC, with milliseconds. */
  created_at: string;
}

export interface WirePagination {
  /** The requested page, starting at 1. */
  page: number;
  /** The page size of this response. */
  per_page: number;
  /** The exact number of matching customers, from the same snapshot as `data`. */
  total: number;
}

/** A field that is hidden from callers without the scope `customers:contact`. */
export type ContactField = 'email_address' | 'phone_number';

export interface WireCustomerList {
  data: WireCustomer[];
  pagination: WirePagination;
  /** The fields that are hidden from the caller, in every customer. Absent if none is. */
  hidden?: ContactField[];
}

export interface WireCustomerDetail {
  data: WireCustomer;
  /** The fields that are hidden from the caller. Absent if none is. */
  hidden?: ContactField[];
}

/** A search to try instead of one that matches at most five customers. */
export interface WireSuggestion {
  /** The search, with some of its words replaced. */
  search: string;
  /** The exact number of customers that it matches. */
  total: number;
}

export interface WireSuggestions {
  /** The best one first. */
  data: WireSuggestion[];
}

/** Calendar periods in UTC. A week starts on Monday. */
export const timelineUnits = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type TimelineUnit = (typeof timelineUnits)[number];

export interface WireTimelineBucket {
  /** When the period starts: ISO 8601 in UTC, with milliseconds. It ends where the next newer one starts. */
  from: string;
  /** How many of the matching customers joined in it. */
  count: number;
  /** How many of them joined later: those on the pages before. */
  above: number;
}

/** When the customers of a list joined. */
export interface WireTimeline {
  data: {
    /** The exact number of matching customers, which is also the sum of all counts. */
    total: number;
    /** False if a customer may be counted in another period than its own, also in one that has nobody. */
    exact: boolean;
    unit: TimelineUnit;
    /** The newest period first, without gaps. Empty if nobody matches. */
    buckets: WireTimelineBucket[];
  };
}

/** What a list can be sorted by. All but the time of creation have to be switched on by an operator. */
export type SortField = 'lifetime_value_cents' | 'total_orders' | 'last_order_at' | 'created_at';
/** A field for ascending order, or `-` and a field for descending order. */
export type Sort = SortField | `-${SortField}`;

/** Limits on request parameters. Those of a customer's fields are in ./customer-fields.ts. */
export const limits = {
  page: { min: 1, max: 1_000_000_000, default: 1 },
  perPage: { min: 1, max: 100, default: 25 },
  search: { maxCodePoints: 256, maxTerms: 8 },
  /** A search with more matches has no suggestions. */
  suggestions: { max: 5, maxMatches: 5 },
  buckets: { min: 1, max: 500, default: 120 },
} as const;

/**
 * The status and title of every error the service returns.
 * `internal-error` always means a bug: no known input or failure causes it.
 */
export const problems = {
  'invalid-page': { status: 400, title: 'Invalid page' },
  'invalid-per-page': { status: 400, title: 'Invalid page size' },
  'invalid-search': { status: 400, title: 'Invalid search' },
  'search-too-long': { status: 400, title: 'Search too long' },
  'invalid-filter': { status: 400, title: 'Invalid filter' },
  'invalid-buckets': { status: 400, title: 'Invalid number of buckets' },
  'invalid-sort': { status: 400, title: 'Invalid sort' },
  'sort-not-available': { status: 400, title: 'Sort not available' },
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
  'records-used-up': { status: 429, title: 'Daily records used up' },
  'headers-too-large': { status: 431, title: 'Headers too large' },
  'internal-error': { status: 500, title: 'Internal error' },
  overloaded: { status: 503, title: 'Overloaded' },
  'database-unavailable': { status: 503, title: 'Database unavailable' },
  'audit-unavailable': { status: 503, title: 'Audit unavailable' },
  'database-mismatch': { status: 503, title: 'Database mismatch' },
  'erasures-missing': { status: 503, title: 'Erasures missing' },
  'masking-not-ready': { status: 503, title: 'Masking not ready' },
  'replica-stale': { status: 503, title: 'Replica stale' },
  'shutting-down': { status: 503, title: 'Shutting down' },
  'query-timeout': { status: 504, title: 'Query timeout' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** The codes that can apply to a single parameter. */
export const parameterProblemCodes = [
  'invalid-page',
  'invalid-per-page',
  'invalid-search',
  'search-too-long',
  'invalid-filter',
  'invalid-buckets',
  'invalid-sort',
  'sort-not-available',
  'unknown-parameter',
  'repeated-parameter',
] as const satisfies ProblemCode[];

export type ParameterProblemCode = (typeof parameterProblemCodes)[number];

export interface ParameterProblem {
  /** The parameter's name. An unknown name is shortened to 32 plain characters. */
  parameter: string;
  code: ParameterProblemCode;
  /** What the parameter accepts. Never contains the value that was sent. */
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
  /** Every invalid parameter of the request. */
  errors?: ParameterProblem[];
}

/** The permissions of an access key. */
export const scopes = [
  'customers:list',
  'customers:lookup',
  'customers:search',
  'customers:contact',
  'customers:export',
] as const;
export type Scope = (typeof scopes)[number];
