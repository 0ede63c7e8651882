/** `/session/…`: people sign in with the provider, and the provider signs them out. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OidcConfig } from '../../settings/access-settings.ts';
import {
  type Authority,
  DatabaseUnavailableError,
  NoSlotError,
  parseQuery,
  QueryTimeoutError,
} from '@clientele/directory';
import { addressOf } from '../../http/address.ts';
import type { IdentityGuard } from '../identity-guard.ts';
import { ProblemError } from '../../http/problems.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import { defineCookie } from '../sessions/cookie.ts';
import { keep, sessionCookie } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { endProviderSessions } from '../sessions/store.ts';
import { RefusalError, toPerson, type Refusal } from './person.ts';
import { callbackPath, type Provider, type Transaction } from './provider.ts';

const transactionMs = 10 * 60_000;
const purpose = 'clientele sign-in 1';
/** Of one address. Pages of other sites cannot cause any, so a busy office stays below it. */
const failuresPerMinute = 600;
const forgedSignOutsPerMinute = 30;

export interface PeopleRoutesOptions {
  oidc: OidcConfig;
  provider: Provider;
  sessions: Sessions;
  authority: Authority;
  guard: IdentityGuard;
  /** Where the console is: people are sent there afterwards. */
  home: string;
}

export function addPeopleRoutes(app: FastifyInstance, options: PeopleRoutesOptions): void {
  const { oidc, provider, sessions, guard, home } = options;
  const failures = new RateLimit({ 'sign-ins': failuresPerMinute });
  // Lax: a Strict cookie would not come back from the provider.
  const started = defineCookie('clientele-sign-in', 'Lax', oidc.publicOrigin);
  const session = sessionCookie({ own: oidc.publicOrigin, others: [] });

  /** Sends the browser on, or back to the console with the reason. */
  const lead = async (request: FastifyRequest, reply: FastifyReply, to: () => Promise<string>) => {
    reply.header('referrer-policy', 'no-referrer');
    try {
      return reply.redirect(await to(), 303);
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      const refusal = reasonOf(error);
      request.log.warn({ reqId: request.id, refusal, err: error }, 'sign-in refused');
      return reply.redirect(`${home}/#sign-in=${refusal}`, 303);
    }
  };

  app.get('/session/sign-in', {
    onRequest: async ({ raw }) => {
      const [fault] = parseQuery(raw.url!, []).errors;
      if (fault) throw new ProblemError(fault.code, fault.detail, { errors: [fault] });
    },
    handler: (request, reply) =>
      lead(request, reply, async () => {
        const [state, nonce, verifier] = [random(), random(), random()];
        const transaction = { state, nonce, verifier, startedAt: Date.now() };
        const url = await provider.startUrl(transaction);
        started.write(reply, await sessions.closeBox(transaction, purpose), transactionMs);
        return url;
      }),
  });

  app.get(callbackPath, (request, reply) =>
    lead(request, reply, async () => {
      // Whatever a page of another site asks for has no cookie, costs nothing and counts for nothing: otherwise it
      // could keep everybody at the visitor's address from signing in.
      const box = isNavigation(request) ? started.read(request) : undefined;
      if (!box) throw new RefusalError('expired');
      started.clear(reply);
      const checks = guard.checksOf(request);
      const transaction = await sessions.openBox<Transaction>(box, purpose, checks);
      if (!transaction || Date.now() - transaction.startedAt > transactionMs) {
        throw new RefusalError('expired');
      }
      // Each of these costs a request to the provider.
      failures.check(addressOf(request), 'sign-ins');
      try {
        return await finish(request, reply, transaction);
      } catch (error) {
        if (!isOutage(reasonOf(error))) failures.take(addressOf(request), 'sign-ins');
        throw error;
      }
    }),
  );

  const finish = async (
    request: FastifyRequest,
    reply: FastifyReply,
    transaction: Transaction,
  ): Promise<string> => {
    const url = new URL(request.raw.url!, oidc.publicOrigin);
    const { claims, idToken } = await provider.finish(url, transaction);
    const signedIn = await sessions.startPerson(toPerson(claims, oidc), idToken);
    if (!signedIn) throw new RefusalError('disabled');
    request.caller = signedIn.caller;
    keep(session, reply, signedIn);
    return `${home}/#signed-in`;
  };

  addProviderSignOut(app, options);
}

/** The provider says who has signed out there. */
function addProviderSignOut(
  app: FastifyInstance,
  { oidc, provider, authority }: PeopleRoutesOptions,
): void {
  const forged = new RateLimit({ 'sign-outs': forgedSignOutsPerMinute });
  void app.register(async (scoped) => {
    scoped.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => done(null, new URLSearchParams(body)),
    );
    scoped.post('/session/back-channel-logout', async (request, reply) => {
      const token = request.body instanceof URLSearchParams && request.body.get('logout_token');
      try {
        const out = await provider.readLogoutToken(token || '');
        await endProviderSessions(authority, oidc.issuer, out.subject, out.session);
      } catch (error) {
        const refusal = reasonOf(error);
        if (refusal === 'unavailable') throw error;
        request.log.warn({ reqId: request.id, refusal, err: error }, 'sign-out refused');
        // Only what the provider has not signed is counted: its own sign-outs pass, whoever shares its address.
        if (!isOutage(refusal)) forged.take(addressOf(request), 'sign-outs');
        throw new ProblemError('malformed-request', notALogout, { cause: error });
      }
      return reply.code(200).send();
    });
  });
}

const random = (): string => randomBytes(32).toString('base64url');

const notALogout =
  'Send logout_token as a form. The provider has to sign it, for this client, in the last ten minutes.';

/** Whether a person opens the address, and not a page that loads it as an image or a frame of its own. */
const isNavigation = ({ headers }: FastifyRequest): boolean =>
  (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';

const isOutage = (refusal: Refusal): boolean =>
  refusal === 'unavailable' || refusal === 'provider-unavailable';

function reasonOf(error: unknown): Refusal {
  if (error instanceof RefusalError) return error.refusal;
  const { name, code, error: answer } = error as { name?: string; code?: string; error?: string };
  if (
    error instanceof DatabaseUnavailableError ||
    error instanceof NoSlotError ||
    error instanceof QueryTimeoutError
  ) {
    return 'unavailable';
  }
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' && answer === 'access_denied')
    return 'cancelled';
  const isSilent = name === 'TimeoutError' || name === 'AbortError' || code === 'OAUTH_TIMEOUT';
  return isSilent || isNetworkError(error) ? 'provider-unavailable' : 'invalid';
}

/** What fetch throws if no response arrives. */
const isNetworkError = (error: unknown): boolean =>
  error instanceof TypeError && error.message === 'fetch failed';
