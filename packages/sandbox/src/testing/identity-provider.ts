/** A real provider of OpenID Connect, with plain pages and the people that a test needs. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface Account {
  name: string;
  email: string;
  groups: string[];
}

export interface IdentityProviderOptions {
  /** Where the service is reached. */
  publicOrigin: string;
  clientId: string;
  clientSecret: string;
  /** By the name that they sign in with. There are no passwords. */
  people: Record<string, Account>;
  /** Otherwise any free one. */
  port?: number;
}

export interface IdentityProvider extends AsyncDisposable {
  issuer: string;
}

export async function startIdentityProvider(
  options: IdentityProviderOptions,
): Promise<IdentityProvider> {
  const server = createServer().listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer, options);
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const isOurs = request.url!.startsWith('/interaction/');
    const done = isOurs ? interact(provider, request, response) : handle(request, response);
    // Whoever asks may leave while its request is read.
    done.catch(() => response.destroy());
  });
  return { issuer, [Symbol.asyncDispose]: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

function createProvider(issuer: string, options: IdentityProviderOptions): Provider {
  const { publicOrigin, clientId, clientSecret, people } = options;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${publicOrigin}/session/callback`],
        post_logout_redirect_uris: [`${publicOrigin}/`],
        backchannel_logout_uri: `${publicOrigin}/session/back-channel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['not a secret'] },
    // In seconds. Without them, it prints a notice for each.
    ttl: { Interaction: 600, Grant: 3_600, Session: 3_600, AccessToken: 600, IdToken: 600 },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (context, form) => {
          context.body = page(
            'Sign out?',
            `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
          );
        },
      },
    },
    // Its own dispatcher refuses loopback, where the service is.
    fetch: (url, options) => {
      const { dispatcher: _, ...others } = options as RequestInit & { dispatcher?: unknown };
      return fetch(url, others);
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) =>
      people[id] && { accountId: id, claims: async () => ({ sub: id, ...people[id] }) },
    // Nobody is asked whether they agree.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid profile email groups');
      await grant.save();
      return grant;
    },
  });
  return provider;
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    const form = `<form method="post"><label>Name <input name="name" autofocus></label>
      <button>Continue</button></form>`;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page('Staff accounts', form));
    return;
  }
  const body = Buffer.concat(await request.toArray()).toString();
  const accountId = new URLSearchParams(body).get('name') ?? '';
  await provider.interactionFinished(request, response, { login: { accountId } });
}

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${content}</html>`;
