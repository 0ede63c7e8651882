/** The routes of customers: each says what it parses, reads and records, and ./read-checks.ts does the rest. */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { requireScope } from '../access/authenticate.ts';
import { acceptsJson } from '../http/request-checks.ts';
import { ProblemError } from '../http/problems.ts';
import {
  asRecorded,
  isUuid,
  type ListQuery,
  parseListQuery,
  parseQuery,
  parseSuggestionsQuery,
  parseTimelineQuery,
  type View,
} from '@clientele/directory';
import type { RateLimit } from '../http/rate-limit.ts';
import { listScopes } from '../access/route-access.ts';
import type { Customers } from './customers.ts';
import { nobody } from '../responses/list-body.ts';
import { ReadChecks, sayAsOf, type ReadChecksOptions } from './read-checks.ts';
import { prefersRowsFirst } from './send-rows-first.ts';

export interface CustomerRoutesOptions extends ReadChecksOptions {
  customers: Customers;
  /** Limits lookups that find nobody, so that identifiers cannot be tried out. */
  notFound: RateLimit;
}

export function addCustomerRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  const { customers, notFound } = options;
  const checks = new ReadChecks(options);

  app.get('/v3/customers', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { query, errors } = parseListQuery(request.raw.url!);
      requireListScopes(request, query);
      return checks.answer(request, reply, {
        kind: kindOf(query),
        errors,
        read: (signal) => customers.page(query, viewOf(request), signal, prefersRowsFirst(request)),
        entry: () => ({
          ...asRecorded(query),
          action: isExport(request) ? 'export' : query.search === '' ? 'list' : 'search',
        }),
      });
    },
  });

  /** The timeline of a list is asked for, and limited, like the list. */
  app.get('/v3/customers/timeline', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { query, errors } = parseTimelineQuery(request.raw.url!);
      requireListScopes(request, query);
      return checks.answer(request, reply, {
        kind: kindOf(query),
        errors,
        read: (signal) => customers.timeline(query, viewOf(request), signal),
        entry: () => ({ ...numbersOnly, ...asRecorded(query), action: 'timeline' }),
      });
    },
  });

  app.get<{ Params: { id: string } }>('/v3/customers/:id', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { errors } = parseQuery(request.raw.url!, []);
      const { caller, params } = request;
      return checks.answer(request, reply, {
        kind: 'reads',
        errors,
        // Before the answer is known: beyond the limit, an identifier that exists is refused like any other.
        check: () => caller && notFound.check(caller.id, 'not-found'),
        read: async (signal) => {
          const { content, asOf } = await customers.find(params.id, viewOf(request), signal);
          if (content) return { content, asOf };
          sayAsOf(reply, asOf);
          if (caller) notFound.take(caller.id, 'not-found');
          throw new ProblemError('customer-not-found');
        },
        entry: () => ({ action: 'lookup', page: 1, perPage: 1, search: '' }),
      });
    },
  });
}

/** Nobody is shown, but how many match a search. */
export function addSuggestionsRoute(app: FastifyInstance, options: CustomerRoutesOptions): void {
  const { customers } = options;
  const checks = new ReadChecks(options);

  app.get('/v3/customers/suggestions', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      requireScope(request, listScopes.search);
      const { query, errors } = parseSuggestionsQuery(request.raw.url!);
      return checks.answer(request, reply, {
        kind: 'searches',
        errors,
        read: async (signal) => {
          const { search } = query;
          const { content: data, asOf } = await customers.suggest(search, viewOf(request), signal);
          return { content: { body: JSON.stringify({ data }), total: null, shown: nobody }, asOf };
        },
        entry: () => ({ ...numbersOnly, ...query, action: 'suggestions' }),
      });
    },
  });
}

const acceptable: onRequestHookHandler = ({ headers }, _reply, done) => {
  if (!acceptsJson(headers.accept)) throw new ProblemError('not-acceptable');
  done();
};

/** Whoever may list may read every customer; these scopes are about how (docs/decisions/scopes.md). */
function requireListScopes(request: FastifyRequest, { search }: Pick<ListQuery, 'search'>): void {
  if (search !== '') requireScope(request, listScopes.search);
  if (isUuid(search)) requireScope(request, listScopes.identifier);
  if (isExport(request)) requireScope(request, listScopes.export);
}

const kindOf = ({ search }: Pick<ListQuery, 'search'>) => (search === '' ? 'reads' : 'searches');

const isExport = ({ headers }: FastifyRequest): boolean =>
  headers['clientele-purpose'] === 'export';

/** What the audit records of an answer that has numbers only. */
const numbersOnly = { page: 1, perPage: 0 } as const;
/** Without authentication, everybody sees everything. */
const viewOf = ({ caller }: FastifyRequest): View =>
  !caller || caller.scopes.includes('customers:contact') ? 'full' : 'masked';
