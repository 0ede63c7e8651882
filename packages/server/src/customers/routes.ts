import type { WireTimeline } from '@clientele/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { customersIn, totalIn, uuidBytes } from '../audit/shown.ts';
import { requireScope } from '../http/authenticate.ts';
import { whileWanted } from '../http/hang-up.ts';
import { acceptsJson } from '../http/request-checks.ts';
import { ProblemError } from '../http/problems.ts';
import { parseQuery } from '../http/query-string.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { listScopes } from '../http/route-access.ts';
import type { Customers } from './customers.ts';
import { asRecorded } from './filters.ts';
import {
  parseListQuery,
  parseSuggestionsQuery,
  parseTimelineQuery,
  type ListQuery,
} from './list-query.ts';
import { RowsFirst } from './maps/rows-first.ts';
import { ReadChecks, sayAge, type ReadChecksOptions } from './read-checks.ts';
import { isUuid } from './search.ts';
import { cutShort, prefersRowsFirst, sendRowsFirst } from './send-rows-first.ts';
import { hiddenMember, type View } from './view.ts';

export interface CustomerRoutesOptions extends ReadChecksOptions {
  customers: Customers;
  /** Limits lookups that find nobody, so that identifiers cannot be tried out. */
  notFound: RateLimit;
}

/** After route, authentication and scope, the checks of every read: ./read-checks.ts. */
export function addCustomerRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  const { customers, notFound } = options;
  const checks = new ReadChecks(options);

  app.get('/v3/customers', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { query, errors } = parseListQuery(request.raw.url!);
      requireListScopes(request, query);
      const kind = query.search === '' ? 'reads' : 'searches';
      checks.begin(request, reply, kind, errors);
      const show = (body: Buffer, age: number, isWhole = true): Promise<void> =>
        checks.show(request, reply, {
          age,
          customers: () => customersIn(body),
          entry: () => ({
            ...asRecorded(query),
            action: isExport(request) ? 'export' : query.search === '' ? 'list' : 'search',
            total: isWhole ? totalIn(body) : null,
          }),
        });
      try {
        const { content, age } = await whileWanted(reply, async (signal) => {
          const found = await checks.admit(request, kind, signal, () =>
            customers.page(query, viewOf(request), signal, prefersRowsFirst(request)),
          );
          const { content: page, age: asOf } = found;
          if (!(page instanceof RowsFirst)) return { content: page, age: asOf };
          // Its place is free for another request: counts wait for each other in their lanes.
          await sendRowsFirst(reply, page, signal, () => show(page.rows, asOf, false));
          return { content: undefined, age: asOf };
        });
        if (!content) return reply;
        await show(content, age);
        return json(reply, content);
      } catch (error) {
        if (cutShort(reply, error)) return reply;
        throw error;
      }
    },
  });

  addTimelineRoute(app, customers, checks);

  app.get<{ Params: { id: string } }>('/v3/customers/:id', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { errors } = parseQuery(request.raw.url!, []);
      checks.begin(request, reply, 'reads', errors);
      // Before the answer is known: beyond the limit, an identifier that exists is refused like any other.
      if (request.caller) notFound.check(request.caller.id, 'not-found');
      const { id } = request.params;
      const { content, age } = await whileWanted(reply, (signal) =>
        checks.admit(request, 'reads', signal, () => customers.find(id, viewOf(request), signal)),
      );
      if (!content) {
        sayAge(reply, age);
        if (request.caller) notFound.take(request.caller.id, 'not-found');
        throw new ProblemError('customer-not-found');
      }
      await checks.show(request, reply, {
        age,
        customers: () => uuidBytes(id),
        entry: () => oneCustomer,
      });
      return json(reply, `{${hiddenMember[viewOf(request)]}"data":${content}}`);
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
      checks.begin(request, reply, 'searches', errors);
      const { content, age } = await whileWanted(reply, (signal) =>
        checks.admit(request, 'searches', signal, () =>
          customers.suggest(query.search, viewOf(request), signal),
        ),
      );
      await checks.show(request, reply, {
        age,
        customers: nobody,
        entry: () => ({ ...numbersOnly, ...query, action: 'suggestions' }),
      });
      return json(reply, JSON.stringify({ data: content }));
    },
  });
}

/** The timeline of a list is asked for, and limited, like the list. */
function addTimelineRoute(app: FastifyInstance, customers: Customers, checks: ReadChecks): void {
  app.get('/v3/customers/timeline', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { query, errors } = parseTimelineQuery(request.raw.url!);
      requireListScopes(request, query);
      const kind = query.search === '' ? 'reads' : 'searches';
      checks.begin(request, reply, kind, errors);
      const { content, age } = await whileWanted(reply, (signal) =>
        checks.admit(request, kind, signal, () =>
          customers.timeline(query, viewOf(request), signal),
        ),
      );
      await checks.show(request, reply, {
        age,
        customers: nobody,
        entry: () => ({
          ...numbersOnly,
          ...asRecorded(query),
          action: 'timeline',
          total: (JSON.parse(content.toString()) as WireTimeline).data.total,
        }),
      });
      return json(reply, content);
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

const isExport = ({ headers }: FastifyRequest): boolean =>
  headers['clientele-purpose'] === 'export';

/** What the audit records of a lookup. */
const oneCustomer = { action: 'lookup', page: 1, perPage: 1, total: 1, search: '' } as const;
/** What it records of an answer that has numbers only. */
const numbersOnly = { page: 1, perPage: 0, total: null } as const;
const noCustomers = Buffer.alloc(0);
const nobody = (): Buffer => noCustomers;
/** Without authentication, everybody sees everything. */
const viewOf = ({ caller }: FastifyRequest): View =>
  !caller || caller.scopes.includes('customers:contact') ? 'full' : 'masked';

/** Text that is JSON already. */
const json = (reply: FastifyReply, body: string | Buffer): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(body);
