import type { Scope } from '@clientele/contract';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Caller, KeyRing } from '../keys/key-ring.ts';
import { ProblemError } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null while nobody was identified, and where authentication is switched off. */
    caller: Caller | null;
  }
}

/** Lets a request pass that carries a known key with the scope. Without a key ring, every request. */
export function authenticate(keys: KeyRing | null, scope: Scope): onRequestAsyncHookHandler {
  return async (request) => {
    if (!keys) return;
    const key = bearerToken(request);
    const caller = key === undefined ? undefined : await keys.identify(key);
    // One answer for every cause, so that it tells nothing about which keys exist.
    if (!caller) throw new ProblemError('unauthenticated');
    request.caller = caller;
    if (!caller.scopes.includes(scope)) throw new ProblemError('insufficient-scope');
  };
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
