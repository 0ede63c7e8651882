/** `/session/…`: people sign in with the provider, and the provider signs them out. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OidcConfig } from '../access-settings.ts';
import { DatabaseUnavailableError, NoSlotError, QueryTimeoutError } from '../db/errors.ts';
import type { Authority } from '../db/nodes.ts';
import { addressOf } from '../http/address.ts';
import { ProblemError } from '../http/problems.ts';
import { parseQuery } from '../http/query-string.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { defineCookie } from '../sessions/cookie.ts';
import { keep, sessionCookie } from '../sessions/routes.ts';
import { closeBox, openBox } from '../sessions/seal.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { endProviderSessions, findSecret } from '../sessions/store.ts';
import { RefusalError, toPerson, type Refusal } from './person.ts';
import { callbackPath, type Provider, type Transaction } from './provider.ts';

const transactionMs = 10 * 60_000;
const purpose = 'clientele sign-in 1';
const failuresPerMinute = 30;

export interface PeopleRoutesOptions {
  oidc: OidcConfig;
  provider: Provider;
  sessions: Sessions;
  authority: Authority;
  /** Where the console is: people are sent there afterwards. */
  home: string;
}

export function addPeopleRoutes(app: FastifyInstance, options: PeopleRoutesOptions): void {
  const { oidc, provider, sessions, authority, home } = options;
  const failures = new RateLimit({ 'sign-ins': failuresPerMinute });
  // Lax: a Strict cookie would not come back from the provider.
  const started = defineCookie('clientele-sign-in', 'Lax', oidc.publicOrigin);
  const session = sessionCookie({ own: oidc.publicOrigin, others: [] });

  /** Sends the browser on, or back to the console with the reason. */
  const lead = async (request: FastifyRequest, reply: FastifyReply, to: () => Promise<string>) => {
    failures.check(addressOf(request), 'sign-ins');
    reply.header('referrer-policy', 'no-referrer');
    try {
      return reply.redirect(await to(), 303);
    } catch (error) {
      const refusal = reasonOf(error);
      request.log.warn({ reqId: request.id, refusal, err: error }, 'sign-in refused');
      if (refusal !== 'provider-unavailable') failures.take(addressOf(request), 'sign-ins');
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
        const secret = await findSecret(authority);
        started.write(reply, closeBox(transaction, purpose, secret!), transactionMs);
        return url;
      }),
  });

  app.get(callbackPath, (request, reply) =>
    lead(request, reply, async () => {
      const box = started.read(request);
      started.clear(reply);
      const transaction = box && openBox<Transaction>(box, purpose, (await findSecret(authority))!);
      if (!transaction || Date.now() - transaction.startedAt > transactionMs) {
        throw new RefusalError('expired');
      }
      const { claims, idToken } = await provider.finish(
        new URL(request.raw.url!, oidc.publicOrigin),
        transaction,
      );
      const signedIn = await sessions.startPerson(toPerson(claims, oidc), idToken);
      if (!signedIn) throw new RefusalError('disabled');
      request.caller = signedIn.caller;
      keep(session, reply, signedIn);
      return `${home}/#signed-in`;
    }),
  );

  void app.register(async (scoped) => {
    scoped.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => done(null, new URLSearchParams(body)),
    );
    scoped.post('/session/back-channel-logout', async (request, reply) => {
      failures.check(addressOf(request), 'sign-ins');
      const token = request.body instanceof URLSearchParams && request.body.get('logout_token');
      try {
        const out = await provider.readLogoutToken(token || '');
        await endProviderSessions(authority, oidc.issuer, out.subject, out.session);
      } catch (error) {
        const refusal = reasonOf(error);
        if (refusal === 'unavailable') throw error;
        request.log.warn({ reqId: request.id, refusal, err: error }, 'sign-out refused');
        failures.take(addressOf(request), 'sign-ins');
        throw new ProblemError('malformed-request', notALogout, { cause: error });
      }
      return reply.code(200).send();
    });
  });
}

const random = (): string => randomBytes(32).toString('base64url');

const notALogout =
  'Send logout_token as a form. The provider has to sign it, for this client, in the last ten minutes.';

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
