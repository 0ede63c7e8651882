/** The settings of a service that people sign in to with a provider, and a browser's part of it. */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { clientId, clientSecret } from './hostile-provider.ts';

export const publicOrigin = 'http://localhost:8080';

export const rolesFile = {
  groups: { desk: ['support'], leads: ['support-lead'], exporters: ['export'] },
};

/** Settings with files, which are removed by `remove`. */
export async function peopleSettings(issuer: string, origin = publicOrigin) {
  const file = async (content: string) => {
    const path = join(tmpdir(), `clientele-${randomUUID()}`);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const secret = await file(`${clientSecret}\n`);
  const roles = await file(JSON.stringify(rolesFile));
  const env = {
    CLIENTELE_PUBLIC_ORIGIN: origin,
    CLIENTELE_OIDC_ISSUER: issuer,
    CLIENTELE_OIDC_CLIENT_ID: clientId,
    CLIENTELE_OIDC_CLIENT_SECRET_FILE: secret,
    CLIENTELE_ROLES_FILE: roles,
  };
  return { env, remove: () => Promise.all([secret, roles].map((path) => rm(path))) };
}

function cookiesOf(response: LightMyRequestResponse): Record<string, string> {
  const lines = [response.headers['set-cookie'] ?? []].flat();
  return Object.fromEntries(
    lines.map((line) => line.split(';')[0]!.split('=', 2) as [string, string]),
  );
}

const toHeader = (cookies: Record<string, string>): string =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');

/** Starts a sign-in: the provider's URL, and the cookie that the browser keeps meanwhile. */
export async function begin(app: FastifyInstance) {
  const response = await app.inject({ url: '/session/sign-in', headers: { host: 'localhost' } });
  return {
    url: String(response.headers.location),
    cookie: toHeader(cookiesOf(response)),
    response,
  };
}

/** Comes back from the provider. */
export async function comeBack(
  app: FastifyInstance,
  parameters: Record<string, string> | [string, string][],
  cookie: string,
) {
  const query = new URLSearchParams(parameters);
  const response = await app.inject({
    url: `/session/callback?${query}`,
    headers: { host: 'localhost', cookie, 'sec-fetch-site': 'cross-site' },
  });
  const session = cookiesOf(response)['clientele-session'];
  return {
    to: String(response.headers.location),
    session: session === undefined ? undefined : `clientele-session=${session}`,
    response,
  };
}

export const statusOf = async (app: FastifyInstance, cookie: string) =>
  (await app.inject({ url: '/v3/customers', headers: { host: 'localhost', cookie } })).statusCode;
