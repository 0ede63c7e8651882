/** `/session`: sign in, read the current session, sign out. For the console; not part of `/v3`. */
import { scopes } from '@clientele/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../http/address.ts';
import { bearerToken, type Identify } from '../http/authenticate.ts';
import type { IdentityGuard } from '../http/identity-guard.ts';
import { ProblemError } from '../http/problems.ts';
import { parseQuery } from '../http/query-string.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { isFromOurPages } from '../http/same-origin.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { clearCookie, readCookie, writeCookie } from './cookie.ts';
import { endsAt, sessionLife, type Sessions, type SignedIn } from './sessions.ts';

const triesPerMinute = 10;
const bodyLimit = 512;

/** By the access key if one was sent, otherwise by the session, which is renewed by being used. */
export function identifyBy(
  keys: KeyRing,
  sessions: Sessions,
  consoleOrigins: readonly string[],
  guard: IdentityGuard,
): Identify {
  return async (request, reply) => {
    if (request.headers.authorization !== undefined) {
      const key = bearerToken(request);
      if (key === undefined) return undefined;
      return keys.identify(key, {
        before: () => guard.beforeKey(request),
        wrong: () => guard.wrongKey(request),
      });
    }
    guard.beforeSession(request);
    return (await resume(sessions, request, reply, consoleOrigins))?.caller;
  };
}

async function resume(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  consoleOrigins: readonly string[],
): Promise<SignedIn | undefined> {
  const sealed = readCookie(request);
  if (!sealed || !isFromOurPages(request, consoleOrigins)) return undefined;
  const signedIn = await sessions.resume(sealed);
  if (signedIn) keep(request, reply, signedIn);
  return signedIn;
}

function keep(request: FastifyRequest, reply: FastifyReply, { session, renewed }: SignedIn): void {
  if (renewed !== undefined) {
    writeCookie(request, reply, renewed, endsAt(session) - Date.now());
  }
}

export interface SessionRoutesOptions {
  /** Null when authentication is off. */
  sessions: Sessions | null;
  consoleOrigins: readonly string[];
}

export function addSessionRoutes(app: FastifyInstance, options: SessionRoutesOptions): void {
  const { sessions, consoleOrigins } = options;
  const tries = new RateLimit({ 'sign-ins': triesPerMinute });

  const plain = async ({ raw }: FastifyRequest): Promise<void> => {
    const [fault] = parseQuery(raw.url!, []).errors;
    if (fault) throw new ProblemError(fault.code, fault.detail, { errors: [fault] });
  };
  const fromOurPages = async (request: FastifyRequest): Promise<void> => {
    if (!isFromOurPages(request, consoleOrigins))
      throw new ProblemError('unauthenticated', foreign);
  };

  app.get('/session', {
    onRequest: plain,
    handler: async (request, reply) => {
      if (!sessions) return { data: { key: null, scopes, idle_seconds: null, ends_at: null } };
      const signedIn = await resume(sessions, request, reply, consoleOrigins);
      if (!signedIn) throw new ProblemError('unauthenticated', nobody);
      return describe(request, signedIn);
    },
  });

  app.post('/session', {
    bodyLimit,
    onRequest: [plain, fromOurPages, onlySmallJson],
    handler: async (request, reply) => {
      if (!sessions) throw new ProblemError('route-not-found', noSignIn);
      reply.headers(tries.take(addressOf(request), 'sign-ins'));
      const key = keyIn(request.body);
      const signedIn = await sessions.start(key);
      if (!signedIn) throw new ProblemError('unauthenticated', wrongKey);
      keep(request, reply, signedIn);
      return describe(request, signedIn);
    },
  });

  app.delete('/session', {
    onRequest: [plain, fromOurPages],
    handler: async (request, reply) => {
      const sealed = readCookie(request);
      // The browser drops the cookie even if ending the session fails; 204 means it is ended everywhere.
      clearCookie(request, reply);
      const signedIn = sealed && sessions ? await sessions.resume(sealed) : undefined;
      if (signedIn) {
        request.caller = signedIn.caller;
        await sessions!.end(signedIn.session);
      }
      return reply.code(204).send();
    },
  });
}

function describe(request: FastifyRequest, { caller, session }: SignedIn) {
  request.caller = caller;
  return {
    data: {
      key: { id: caller.keyId, name: caller.name },
      scopes: caller.scopes,
      idle_seconds: sessionLife.idle / 1000,
      /** At the latest; idle sessions end sooner. */
      ends_at: new Date(session.startedAt + sessionLife.longest).toISOString(),
    },
  };
}

/** HTML forms on other sites cannot send this content type. */
async function onlySmallJson({ headers }: FastifyRequest): Promise<void> {
  if (!/^application\/json(; *charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    throw new ProblemError(
      'malformed-request',
      'Send the key as JSON, with Content-Type: application/json.',
    );
  }
}

function keyIn(body: unknown): string {
  const { key, ...rest } = (body ?? {}) as Record<string, unknown>;
  if (typeof key !== 'string' || Object.keys(rest).length > 0) {
    throw new ProblemError('malformed-request', 'Send {"key": "…"} and nothing else.');
  }
  return key;
}

const nobody = 'You are not signed in. Sign in with an access key.';
const wrongKey = 'The access key is not valid. Check that it is complete and has not been revoked.';
const foreign = 'Requests from other origins cannot sign in or out. Use the console.';
const noSignIn = 'Authentication is off on this server. Send requests without signing in.';
