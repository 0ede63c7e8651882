/**
 * A log line never contains a URL, a header, a search or a row. Fastify's own request logging and error
 * serialisers would write the URL, so they are not used.
 */
import type { FastifyInstance } from 'fastify';
import type { DestinationStream, LoggerOptions } from 'pino';
import { codeOf, DatabaseUnfitError } from '@clientele/directory';

export function loggerOptions(
  level: string,
  stream?: DestinationStream,
): LoggerOptions & { stream?: DestinationStream } {
  return {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, req: () => undefined, res: () => undefined },
    ...(stream && { stream }),
  };
}

/**
 * The type and stack of an error. Messages are left out, because drivers and parsers quote values in them, except for
 * what an operator has to do.
 */
export function describeError(error: unknown): object {
  const { name, cause } = (error ?? {}) as Error;
  return {
    type: name,
    ...(error instanceof DatabaseUnfitError && { message: error.message }),
    code: codeOf(error),
    stack: framesOf(error),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

/**
 * A stack starts with the name and the message, any line of which can look like a frame. Empty if it starts with
 * another message, because then nobody knows where that ends.
 */
function framesOf(error: unknown): string {
  const { message, stack } = (error ?? {}) as Partial<Error>;
  if (typeof message !== 'string' || typeof stack !== 'string') return '';
  const [name = ''] = /^[^:\n]*/.exec(stack)!;
  const head = message === '' ? name : `${name}: ${message}`;
  if (!stack.startsWith(`${head}\n`)) return '';
  const lines = stack.slice(head.length).split('\n');
  const frames = lines.filter((line) => /^\s+at /.test(line));
  return frames.map((line) => line.trim()).join('\n');
}

/** One line per request. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        reqId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key: request.caller?.id,
        trace_id: request.traceId,
      },
      'request',
    );
    done();
  });
}
