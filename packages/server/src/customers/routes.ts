import type { ParameterProblem, WireTimeline } from '@clientele/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Audit } from '../audit/audit.ts';
import { customersIn, totalIn, uuidBytes } from '../audit/shown.ts';
import type { LedgerKeeper } from '../erasure/ledger-keeper.ts';
import type { Admission } from '../http/admission.ts';
import { requireScope } from '../http/authenticate.ts';
import { whileWanted } from '../http/hang-up.ts';
import { acceptsJson } from '../http/request-checks.ts';
import { ProblemError } from '../http/problems.ts';
import { parseQuery } from '../http/query-string.ts';
import type { RateLimit, RatePolicy } from '../http/rate-limit.ts';
import type { RecordsLimit } from '../http/records-limit.ts';
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
import { isUuid } from './search.ts';
import { cutShort, prefersRowsFirst, sendRowsFirst } from './send-rows-first.ts';
import { hiddenMember, type View } from './view.ts';

export interface CustomerRoutesOptions {
  customers: Customers;
  rate: RateLimit;
  /** Limits lookups that find nobody, so that identifiers cannot be tried out. */
  notFound: RateLimit;
  admission: Admission;
  records: RecordsLimit;
  /** Undefined where no ledger of erasures is kept. */
  keeper?: LedgerKeeper | undefined;
  /** Undefined where reads are not audited. */
  audit?: Audit | undefined;
}

/** Checks in the documented order: route, authentication, scope, rate, parameters, admission. */
export function addCustomerRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  const { customers, rate, notFound, admission, records, keeper, audit } = options;

  app.get('/v3/customers', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { query, errors } = parseListQuery(request.raw.url!);
      requireListScopes(request, query);
      const kind = query.search === '' ? 'reads' : 'searches';
      count(rate, request, reply, kind);
      refuse(errors);
      records.check(request.caller);
      keeper?.expectComplete();
      const show = async (body: Buffer, age: number, isWhole = true): Promise<void> => {
        await keeper?.expectNobodyErased(customersIn(body));
        // Its total counts even where nobody is shown.
        await records.take(request.caller, () => Math.max(1, customersIn(body).length / 16));
        sayAge(reply, age);
        await audit?.record(request, {
          ...asRecorded(query),
          action: isExport(request) ? 'export' : query.search === '' ? 'list' : 'search',
          total: isWhole ? totalIn(body) : null,
          customers: customersIn(body),
        });
      };
      try {
        const { content, age } = await whileWanted(reply, async (signal) => {
          const found = await admission.admit(kind, keyOf(request), signal, () =>
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

  addTimelineRoute(app, options);

  app.get<{ Params: { id: string } }>('/v3/customers/:id', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      count(rate, request, reply, 'reads');
      const { errors } = parseQuery(request.raw.url!, []);
      refuse(errors);
      records.check(request.caller);
      keeper?.expectComplete();
      // Before the answer is known: beyond the limit, an identifier that exists is refused like any other.
      if (request.caller) notFound.check(request.caller.id, 'not-found');
      const { id } = request.params;
      const { content, age } = await whileWanted(reply, (signal) =>
        admission.admit('reads', keyOf(request), signal, () =>
          customers.find(id, viewOf(request), signal),
        ),
      );
      sayAge(reply, age);
      if (!content) {
        if (request.caller) notFound.take(request.caller.id, 'not-found');
        throw new ProblemError('customer-not-found');
      }
      await keeper?.expectNobodyErased(uuidBytes(id));
      await records.take(request.caller, () => 1);
      await audit?.record(request, { ...oneCustomer, customers: uuidBytes(id) });
      return json(reply, `{${hiddenMember[viewOf(request)]}"data":${content}}`);
    },
  });
}

/** Takes the same checks. Nobody is shown, but how many match a search: that counts as one record. */
export function addSuggestionsRoute(
  app: FastifyInstance,
  { customers, rate, admission, records, keeper, audit }: CustomerRoutesOptions,
): void {
  app.get('/v3/customers/suggestions', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      requireScope(request, listScopes.search);
      const { query, errors } = parseSuggestionsQuery(request.raw.url!);
      count(rate, request, reply, 'searches');
      refuse(errors);
      records.check(request.caller);
      keeper?.expectComplete();
      const { content, age } = await whileWanted(reply, (signal) =>
        admission.admit('searches', keyOf(request), signal, () =>
          customers.suggest(query.search, viewOf(request), signal),
        ),
      );
      await records.take(request.caller, () => 1);
      sayAge(reply, age);
      await audit?.record(request, { ...nobodyShown, ...query, action: 'suggestions' });
      return json(reply, JSON.stringify({ data: content }));
    },
  });
}

/** The timeline of a list is asked for, and limited, like the list. */
function addTimelineRoute(app: FastifyInstance, options: CustomerRoutesOptions): void {
  const { customers, rate, admission, records, keeper, audit } = options;

  app.get('/v3/customers/timeline', {
    onRequest: acceptable,
    handler: async (request, reply) => {
      const { query, errors } = parseTimelineQuery(request.raw.url!);
      requireListScopes(request, query);
      const kind = query.search === '' ? 'reads' : 'searches';
      count(rate, request, reply, kind);
      refuse(errors);
      records.check(request.caller);
      keeper?.expectComplete();
      const { content, age } = await whileWanted(reply, (signal) =>
        admission.admit(kind, keyOf(request), signal, () =>
          customers.timeline(query, viewOf(request), signal),
        ),
      );
      await records.take(request.caller, () => 1);
      sayAge(reply, age);
      const { total } = (JSON.parse(content.toString()) as WireTimeline).data;
      await audit?.record(request, {
        ...nobodyShown,
        ...asRecorded(query),
        action: 'timeline',
        total,
      });
      return json(reply, content);
    },
  });
}

const acceptable: onRequestHookHandler = ({ headers }, _reply, done) => {
  if (!acceptsJson(headers.accept)) throw new ProblemError('not-acceptable');
  done();
};

function count(
  rate: RateLimit,
  { caller }: FastifyRequest,
  reply: FastifyReply,
  policy: RatePolicy,
) {
  if (caller) reply.headers(rate.take(caller.id, policy));
}

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
const nobodyShown = { page: 1, perPage: 0, total: null, customers: Buffer.alloc(0) } as const;
/** Without authentication, everybody sees everything. */
const viewOf = ({ caller }: FastifyRequest): View =>
  !caller || caller.scopes.includes('customers:contact') ? 'full' : 'masked';

/** Data may be this old, in milliseconds, without the response saying so. */
const unremarkableAge = 2_000;

function sayAge(reply: FastifyReply, age: number): void {
  if (age <= unremarkableAge) return;
  const asOf = Number.isFinite(age) ? new Date(Date.now() - age).toISOString() : 'unknown';
  reply.header('clientele-data-as-of', asOf);
}

/** A console session counts as the key that it was started with. */
const keyOf = ({ caller }: FastifyRequest): string => caller?.id ?? '';

/** All faults at once; the first one gives the answer its code. */
function refuse(errors: ParameterProblem[]): void {
  if (errors.length === 0) return;
  const detail = errors.map((error) => error.detail).join(' ');
  throw new ProblemError(errors[0]!.code, detail, { errors });
}

/** Text that is JSON already. */
const json = (reply: FastifyReply, body: string | Buffer): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(body);
