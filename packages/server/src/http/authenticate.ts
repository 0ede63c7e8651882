import type { Scope } from '@clientele/contract';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Caller } from '../keys/key-ring.ts';
import { ProblemError } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null while nobody was identified, and where authentication is switched off. */
    caller: Caller | null;
  }
}

/** One way to tell who asks, by a key, by a session: undefined when the request carries none that holds. */
export type Identify = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Caller | undefined>;

/** Lets a request pass whose caller is known and has the scope. Without `identify`, every request. */
export function authenticate(identify: Identify | null, scope: Scope): onRequestAsyncHookHandler {
  return async (request, reply) => {
    if (!identify) return;
    const caller = await identify(request, reply);
    // One answer for every cause, so that it tells nothing about which keys exist.
    if (!caller) throw new ProblemError('unauthenticated');
    request.caller = caller;
    if (!caller.scopes.includes(scope)) throw new ProblemError('insufficient-scope');
  };
}

export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
