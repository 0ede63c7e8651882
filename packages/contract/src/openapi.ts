/** The OpenAPI 3.1 document, built from the schemas, the limits and the error catalogue. */
import { limits, problems, type ProblemCode } from './index.ts';
import { listParameters, suggestedFor, timelineParameters } from './openapi-parameters.ts';
import {
  CustomerDetailSchema,
  CustomerListSchema,
  CustomerSchema,
  PaginationSchema,
  ParameterProblemSchema,
  ProblemSchema,
  SuggestionsSchema,
  TimelineSchema,
} from './schema.ts';

/** Errors that any route below `/v3` can return. */
const everywhere: ProblemCode[] = [
  'malformed-request',
  'unknown-parameter',
  'unauthenticated',
  'insufficient-scope',
  'not-acceptable',
  'request-timeout',
  'uri-too-long',
  'rate-limited',
  'records-used-up',
  'headers-too-large',
  'internal-error',
  'overloaded',
  'database-unavailable',
  'audit-unavailable',
  'erasures-missing',
  'masking-not-ready',
  'query-timeout',
];

const listProblems: ProblemCode[] = [
  'invalid-page',
  'invalid-per-page',
  'invalid-search',
  'search-too-long',
  'invalid-filter',
  'invalid-sort',
  'sort-not-available',
  'repeated-parameter',
  'database-mismatch',
  ...everywhere,
];
/** Without problems of pages and their order. */
const notOfPages = listProblems.filter((code) => !/page|sort/.test(code));
const timelineProblems: ProblemCode[] = ['invalid-buckets', ...notOfPages];
const suggestionsProblems = notOfPages.filter((code) => code !== 'invalid-filter');
const lookupProblems: ProblemCode[] = ['customer-not-found', ...everywhere];

const schemas = {
  Customer: CustomerSchema,
  Pagination: PaginationSchema,
  CustomerList: CustomerListSchema,
  CustomerDetail: CustomerDetailSchema,
  Suggestions: SuggestionsSchema,
  Timeline: TimelineSchema,
  ParameterProblem: ParameterProblemSchema,
  Problem: ProblemSchema,
};

const ref = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });

/** A copy of a schema in which nested named schemas are replaced by references. */
function withRefs(schema: unknown, root = true): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withRefs(item, false));
  if (typeof schema !== 'object' || schema === null) return schema;
  const title = (schema as { title?: unknown }).title;
  if (!root && typeof title === 'string' && title in schemas) {
    return ref(title as keyof typeof schemas);
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withRefs(value, false)]),
  );
}

const header = (description: string) => ({ description, schema: { type: 'string' } });
const requestId = {
  'X-Request-Id': header('Identifies this request. Quote it when you contact support.'),
};
const retryAfter = { 'Retry-After': header('Seconds to wait before retrying.') };
const rateLimit = {
  'RateLimit-Policy': header(
    'The rate limits of this key: `q` requests at once, and as many again within `w` seconds.',
  ),
  RateLimit: header('`r` requests may be sent now; one more is available in `t` seconds.'),
};

const dataAsOf = {
  'Clientele-Data-As-Of': header(
    'Only if the data may be more than two seconds old: what was written by this time is included.',
  ),
};

const extraHeaders: Partial<Record<number, object>> = {
  401: { 'WWW-Authenticate': header('The `Bearer` challenge with its realm.') },
  429: { ...retryAfter, ...rateLimit },
  503: retryAfter,
};

function responses(success: keyof typeof schemas, codes: ProblemCode[], more = {}) {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return {
    200: {
      description: 'Success.',
      headers: { ...requestId, ...rateLimit, ...dataAsOf, ...more },
      content: { 'application/json': { schema: ref(success) } },
    },
    ...Object.fromEntries(
      [...byStatus]
        .toSorted(([a], [b]) => a - b)
        .map(([status, members]) => [
          status,
          {
            description: members.map((code) => `\`${code}\``).join(', '),
            headers: { ...requestId, ...extraHeaders[status] },
            content: {
              'application/problem+json': {
                schema: {
                  allOf: [
                    ref('Problem'),
                    { properties: { code: { enum: members } }, required: ['code'] },
                  ],
                },
              },
            },
          },
        ]),
    ),
  };
}

const aboutTheList =
  'Returns customers newest first, unless `sort` is given; customers with the same creation time are ' +
  'ordered by identifier, descending. A page past the end is empty and still carries the exact total. ' +
  'Needs the scope `customers:list`; with a search also `customers:search`, with the ' +
  'identifier of a customer as search also `customers:lookup`, and with the header ' +
  '`Clientele-Purpose: export` also `customers:export`.';

const aboutSuggestions =
  `Returns up to ${limits.suggestions.max} searches to try instead of one that matches at most ` +
  `${limits.suggestions.maxMatches} customers: its ` +
  'misspelt words are replaced by words of names and companies that many customers share. Needs ' +
  'the scopes `customers:list` and `customers:search`.';

const listScopes = {
  search: 'customers:search',
  identifier: 'customers:lookup',
  export: 'customers:export',
};

/** Questions about the customers of a list. */
const questionsAboutLists = {
  '/v3/customers/timeline': {
    get: {
      operationId: 'getTimeline',
      tags: ['customers'],
      summary: 'See when the customers of a list joined',
      description:
        'Counts the customers of the list with the same search and filters by the calendar period in UTC in which ' +
        'they were created: by the smallest unit with at most `buckets` periods from the oldest to the newest. If ' +
        'there are more years than that, the oldest period also has those before it. Needs the scopes that the ' +
        'list needs.',
      security: [{ key: ['customers:list'] }],
      'x-conditional-scopes': listScopes,
      parameters: timelineParameters,
      responses: responses('Timeline', timelineProblems),
    },
  },
  '/v3/customers/suggestions': {
    get: {
      operationId: 'suggestSearches',
      tags: ['customers'],
      summary: 'Suggest other searches',
      description: aboutSuggestions,
      security: [{ key: ['customers:list'] }],
      'x-conditional-scopes': { search: 'customers:search' },
      parameters: [suggestedFor],
      responses: responses('Suggestions', suggestionsProblems),
    },
  },
};

export function openapiDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Clientele',
      version,
      description: 'A customer directory: any page, any search, the exact total.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ key: [] }],
    tags: [{ name: 'customers', description: 'Find and read customers.' }],
    paths: {
      '/v3/customers': {
        get: {
          operationId: 'listCustomers',
          tags: ['customers'],
          summary: 'List customers',
          description: aboutTheList,
          security: [{ key: ['customers:list'] }],
          'x-conditional-scopes': listScopes,
          parameters: listParameters,
          responses: responses('CustomerList', listProblems, {
            'Preference-Applied': header('`rows-first` if the body arrives in two pieces.'),
          }),
        },
      },
      ...questionsAboutLists,
      '/v3/customers/{id}': {
        get: {
          operationId: 'getCustomer',
          tags: ['customers'],
          summary: 'Get a customer by identifier',
          description: 'Needs the scope `customers:lookup`.',
          security: [{ key: ['customers:lookup'] }],
          'x-conditional-scopes': {},
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              description: 'Customer identifier, in upper or lower case.',
              schema: { type: 'string' },
            },
          ],
          responses: responses('CustomerDetail', lookupProblems),
        },
      },
    },
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access key, created with `clientele keys create`.',
        },
      },
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, withRefs(schema)]),
      ),
    },
  };
}
