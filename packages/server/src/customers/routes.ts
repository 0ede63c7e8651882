import type { ParameterProblem } from '@clientele/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Admission } from '../http/admission.ts';
import { authenticate, type Identify } from '../http/authenticate.ts';
import { whileWanted } from '../http/hang-up.ts';
import { acceptsJson } from '../http/request-checks.ts';
import { ProblemError } from '../http/problems.ts';
import { parseQuery } from '../http/query-string.ts';
import type { RateLimit, RatePolicy } from '../http/rate-limit.ts';
import type { Customers } from './customers.ts';
import { parseListQuery } from './list-query.ts';

export interface CustomerRoutesOptions {
  customers: Customers;
  /** Null where authentication is switched off. */
  identify: Identify | null;
  rate: RateLimit;
  admission: Admission;
}

/** Checks in the documented order: route, authentication, scope, rate, parameters, admission. */
export function addCustomerRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  const { customers, identify, rate, admission } = options;

  const acceptable: onRequestHookHandler = ({ headers }, _reply, done) => {
    if (!acceptsJson(headers.accept)) throw new ProblemError('not-acceptable');
    done();
  };
  const count = (request: FastifyRequest, reply: FastifyReply, policy: RatePolicy): void => {
    if (request.caller) reply.headers(rate.take(request.caller.keyId, policy));
  };

  app.get('/v3/customers', {
    onRequest: [acceptable, authenticate(identify, 'customers:list')],
    handler: async (request, reply) => {
      const { query, errors } = parseListQuery(request.raw.url!);
      const kind = query.search === '' ? 'reads' : 'searches';
      count(request, reply, kind);
      refuse(errors);
      const { content, age } = await whileWanted(reply, (signal) =>
        admission.admit(kind, keyOf(request), signal, () => customers.page(query, signal)),
      );
      sayAge(reply, age);
      return json(reply, content);
    },
  });

  app.get<{ Params: { id: string } }>('/v3/customers/:id', {
    onRequest: [acceptable, authenticate(identify, 'customers:lookup')],
    handler: async (request, reply) => {
      count(request, reply, 'reads');
      const { errors } = parseQuery(request.raw.url!, []);
      refuse(errors);
      const { id } = request.params;
      const { content, age } = await whileWanted(reply, (signal) =>
        admission.admit('reads', keyOf(request), signal, () => customers.find(id, signal)),
      );
      sayAge(reply, age);
      if (!content) throw new ProblemError('customer-not-found');
      return json(reply, `{"data":${content}}`);
    },
  });
}

/** Data may be this old, in milliseconds, without the response saying so. */
const unremarkableAge = 2_000;

function sayAge(reply: FastifyReply, age: number): void {
  if (age <= unremarkableAge) return;
  const asOf = Number.isFinite(age) ? new Date(Date.now() - age).toISOString() : 'unknown';
  reply.header('clientele-data-as-of', asOf);
}

/** A console session counts as the key that it was started with. */
const keyOf = ({ caller }: FastifyRequest): string => caller?.keyId ?? '';

/** All faults at once; the first one gives the answer its code. */
function refuse(errors: ParameterProblem[]): void {
  if (errors.length === 0) return;
  const detail = errors.map((error) => error.detail).join(' ');
  throw new ProblemError(errors[0]!.code, detail, { errors });
}

/** Text that is JSON already. */
const json = (reply: FastifyReply, body: string | Buffer): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(body);
