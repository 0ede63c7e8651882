/** The only place that turns errors into responses. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  DatabaseMismatchError,
  DatabaseUnavailableError,
  DatabaseUnfitError,
  isSchemaMissing,
  NoSlotError,
  OrderOffError,
  QueryAbortedError,
  QueryTimeoutError,
  RowsOutdatedError,
  tracer,
} from '@clientele/directory';
import { poolerDetail, ProblemError } from './problems.ts';

export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof QueryAbortedError) {
      // The client has disconnected, so there is nobody to respond to.
      return reply.hijack();
    }
    const problem = toProblemError(error);
    const about = { reqId: request.id, trace_id: request.traceId, err: error };
    if (problem.code === 'internal-error') request.log.error(about, 'internal error');
    else if (problem.status >= 500) request.log.warn({ ...about, code: problem.code }, 'refused');
    // Readiness is no refusal, and has a metric of its own.
    if (request.routeOptions.url !== '/readyz') app.refusals.count(problem.code);
    return sendProblem(problem, request, reply);
  });

  // A hook instead of a not-found handler: it responds before the body is read.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads || !/^\/v3\/customers(\/|$|\?)/.test(request.url)) {
      throw new ProblemError('route-not-found');
    }
    throw new ProblemError('method-not-allowed');
  });
}

function sendProblem(problem: ProblemError, request: FastifyRequest, reply: FastifyReply) {
  tracer?.note({ 'error.type': problem.code });
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problem.toProblem(request.id));
}

export function toProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const options = { cause: error };
  if (error instanceof NoSlotError) return new ProblemError('overloaded', undefined, options);
  if (error instanceof DatabaseUnavailableError && error.cause instanceof DatabaseUnfitError) {
    return new ProblemError('database-mismatch', poolerDetail, options);
  }
  const passing = [DatabaseUnavailableError, OrderOffError, RowsOutdatedError];
  if (passing.some((kind) => error instanceof kind) || isSchemaMissing(error)) {
    return new ProblemError('database-unavailable', undefined, options);
  }
  if (error instanceof DatabaseMismatchError) {
    return new ProblemError('database-mismatch', undefined, options);
  }
  if (error instanceof QueryTimeoutError)
    return new ProblemError('query-timeout', undefined, options);
  // Fastify's own client errors, such as a body that cannot be parsed.
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ProblemError('malformed-request', undefined, options);
  }
  return new ProblemError('internal-error', undefined, options);
}
