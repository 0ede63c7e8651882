import type { Scope } from '@clientele/contract';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Caller } from './keys/key-ring.ts';
import { ProblemError } from '../http/problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the caller is identified, and when authentication is off. */
    caller: Caller | null;
  }
}

/** Identifies the caller by key or session; undefined if the request carries no valid one. */
export type Identify = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Caller | undefined>;

/** Requires an identified caller with the scope. Without `identify`, every request passes. */
export function authenticate(identify: Identify | null, scope: Scope): onRequestAsyncHookHandler {
  return async (request, reply) => {
    if (!identify) return;
    const caller = await identify(request, reply);
    // One response for every cause, so that it does not reveal which keys exist.
    if (!caller) throw new ProblemError('unauthenticated');
    request.caller = caller;
    requireScope(request, scope);
  };
}

/** Without a caller, authentication is off. */
export function requireScope({ caller }: FastifyRequest, scope: Scope): void {
  if (!caller || caller.scopes.includes(scope)) return;
  const detail = `This needs the scope ${scope}, which the access key does not have. Use one that has it.`;
  const challenge = `Bearer realm="clientele", error="insufficient_scope", scope="${scope}"`;
  throw new ProblemError('insufficient-scope', detail, {
    headers: { 'www-authenticate': challenge },
  });
}

export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
