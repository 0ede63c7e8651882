/** `/session`: sign in, read the current session, sign out. For the console; not part of `/v3`. */
import { scopes } from '@clientele/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleLink } from '../../settings/console-links.ts';
import { addressOf } from '../../http/address.ts';
import type { IdentityGuard } from '../identity-guard.ts';
import { ProblemError } from '../../http/problems.ts';
import { parseQuery } from '@clientele/directory';
import { RateLimit } from '../../http/rate-limit.ts';
import { isFromOurPages, type Origins } from '../same-origin.ts';
import { keep, look, sessionCookie } from './session-cookie.ts';
import { sessionLife, type Sessions, type SignedIn } from './sessions.ts';

const failuresPerMinute = 10;
const bodyLimit = 512;

export interface SessionRoutesOptions {
  /** Null when authentication is off. */
  sessions: Sessions | null;
  origins: Origins;
  guard: IdentityGuard;
  /** Where people sign out of the provider that they signed in with. */
  signOutUrl?: (idToken: string | undefined) => Promise<string | undefined>;
  /** What lists can be sorted by. */
  sortFields: () => Promise<string[]>;
  /** From a customer to other systems. */
  links: ConsoleLink[];
}

export function addSessionRoutes(app: FastifyInstance, options: SessionRoutesOptions): void {
  const { sessions, origins, guard, signOutUrl } = options;
  const forConsole = async () => ({
    sort_fields: await options.sortFields(),
    links: options.links,
  });
  const cookie = sessionCookie(origins);
  const failures = new RateLimit({ 'sign-ins': failuresPerMinute });

  const plain = async ({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('referrer-policy', 'no-referrer');
    const [fault] = parseQuery(raw.url!, []).errors;
    if (fault) throw new ProblemError(fault.code, fault.detail, { errors: [fault] });
  };
  const fromOurPages = async (request: FastifyRequest): Promise<void> => {
    if (!isFromOurPages(request, origins)) throw new ProblemError('unauthenticated', foreign);
  };

  app.get('/session', {
    onRequest: plain,
    handler: async (request) => {
      if (!sessions) {
        const noSession = { key: null, person: null, idle_seconds: null, ends_at: null };
        return { data: { ...noSession, scopes, ...(await forConsole()) } };
      }
      const signedIn = await look(sessions, cookie, request, origins, guard);
      if (!signedIn) throw new ProblemError('unauthenticated', nobody);
      return describe(request, signedIn, await forConsole());
    },
  });

  app.post('/session', {
    bodyLimit,
    onRequest: [plain, fromOurPages, onlySmallJson],
    handler: async (request, reply) => {
      if (!sessions) throw new ProblemError('route-not-found', noSignIn);
      const signedIn = await sessions.start(keyIn(request.body), guard.checksOf(request));
      if (!signedIn) {
        // Only failures are counted, and a valid key is never refused for them: behind a proxy that is not
        // trusted, everyone has the same address.
        reply.headers(failures.take(addressOf(request), 'sign-ins'));
        throw new ProblemError('unauthenticated', wrongKey);
      }
      keep(cookie, reply, signedIn);
      return describe(request, signedIn, await forConsole());
    },
  });

  app.delete('/session', {
    onRequest: [plain, fromOurPages],
    handler: async (request, reply) => {
      const sealed = cookie.read(request);
      // The browser drops the cookie even if ending the session fails; 204 means it is ended everywhere.
      cookie.clear(reply);
      // Pages that Back would show again. Cookies and storage would be those of others on this domain, too.
      reply.header('clear-site-data', '"cache"');
      const signedIn = sealed ? await sessions?.resume(sealed, guard.checksOf(request)) : undefined;
      if (signedIn) request.caller = signedIn.caller;
      const idToken = signedIn?.about && (await sessions!.idTokenOf(signedIn.session));
      if (signedIn) await sessions!.end(signedIn.session);
      // If the provider does not respond, the person is signed out here only.
      const url = signedIn?.about && (await signOutUrl?.(idToken).catch(() => undefined));
      return url ? { data: { sign_out_url: url } } : reply.code(204).send();
    },
  });
}

function describe(
  request: FastifyRequest,
  { caller, about, session }: SignedIn,
  forConsole: object,
) {
  request.caller = caller;
  const { id, name } = caller;
  return {
    data: {
      key: about ? null : { id, name },
      person: about ? { id, name, ...about } : null,
      scopes: caller.scopes,
      ...forConsole,
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
