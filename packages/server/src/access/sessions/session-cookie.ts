/** The cookie of a console session. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdentityGuard } from '../identity-guard.ts';
import { isFromOurPages, type Origins } from '../same-origin.ts';
import { defineCookie, type Cookie } from './cookie.ts';
import { endsAt, type Sessions, type SignedIn } from './sessions.ts';

export const sessionCookie = ({ own }: Origins): Cookie =>
  defineCookie('clientele-session', 'Strict', own);

/** The session of a request, which is renewed by being used. */
export async function resume(
  sessions: Sessions,
  cookie: Cookie,
  request: FastifyRequest,
  reply: FastifyReply,
  origins: Origins,
  guard: IdentityGuard,
): Promise<SignedIn | undefined> {
  const signedIn = await look(sessions, cookie, request, origins, guard);
  if (signedIn) keep(cookie, reply, signedIn);
  return signedIn;
}

/** Does not count as use: an idle tab asks whether it may still show customers. */
export async function look(
  sessions: Sessions,
  cookie: Cookie,
  request: FastifyRequest,
  origins: Origins,
  guard: IdentityGuard,
): Promise<SignedIn | undefined> {
  const sealed = cookie.read(request);
  if (!sealed || !isFromOurPages(request, origins)) return undefined;
  return sessions.resume(sealed, guard.checksOf(request));
}

export function keep(cookie: Cookie, reply: FastifyReply, { session, renewed }: SignedIn): void {
  if (renewed !== undefined) cookie.write(reply, renewed, endsAt(session) - Date.now());
}
