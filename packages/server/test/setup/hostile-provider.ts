/** A provider of OpenID Connect that does what a test wants, and a host that nobody may ask. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';

export const clientId = 'clientele';
export const clientSecret = 'knownOnlyToTheTwoOfUs';

/** How the provider deviates from an honest one. */
export interface Deviation {
  metadata?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Makes the ID token instead of the provider. */
  token?: (claims: JWTPayload, keys: Keys) => Promise<string>;
  /** Merged into the response of the token endpoint. */
  tokens?: Record<string, unknown>;
  userinfo?: Record<string, unknown>;
  /** By path: what is sent instead. */
  instead?: Record<string, (response: ServerResponse) => void>;
}

export type Keys = Awaited<ReturnType<typeof makeKeys>>;

async function makeKeys() {
  const pair = () => generateKeyPair('RS256', { extractable: true });
  const [own, foreign] = await Promise.all([pair(), pair()]);
  return { own, foreign, jwk: { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256' } };
}

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

export class HostileProvider implements AsyncDisposable {
  readonly issuer: string;
  readonly keys: Keys;
  readonly #server: Server;
  readonly #grants = new Map<string, Grant>();
  deviation: Deviation = {};
  /** Paths that were asked for. */
  asked: string[] = [];

  private constructor(server: Server, keys: Keys) {
    this.#server = server;
    this.keys = keys;
    this.issuer = urlOf(server);
    server.on('request', (request, response) => {
      // The service may leave while its request is read.
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<HostileProvider> {
    return new HostileProvider(await listen(), await makeKeys());
  }

  /** What an honest provider does when a person agrees: a code for the parameters of the sign-in. */
  authorize(signInUrl: string): { code: string; state: string; iss: string } {
    const { searchParams } = new URL(signInUrl);
    const code = randomUUID();
    this.#grants.set(code, {
      nonce: searchParams.get('nonce')!,
      challenge: searchParams.get('code_challenge')!,
      redirectUri: searchParams.get('redirect_uri')!,
    });
    return { code, state: searchParams.get('state')!, iss: this.issuer };
  }

  sign(
    claims: JWTPayload,
    header: Partial<JWTHeaderParameters> = {},
    key = this.keys.own.privateKey,
  ) {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
      .sign(key);
  }

  claims(more: Record<string, unknown> = {}): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const who = { sub: 'anna', name: 'Anna Sample', email: 'anna@staff.example', sid: 'sid-1' };
    const times = { iat: now, exp: now + 300 };
    return { iss: this.issuer, aud: clientId, ...times, ...who, groups: ['desk'], ...more };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, this.issuer).pathname;
    this.asked.push(path);
    const instead = this.deviation.instead?.[path];
    if (instead) return instead(response);
    const body = await this.#body(path, request);
    response.writeHead(body ? 200 : 400, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(body ?? { error: 'invalid_grant' }));
  }

  async #body(path: string, request: IncomingMessage): Promise<object | undefined> {
    const { metadata, userinfo } = this.deviation;
    if (path === '/.well-known/openid-configuration') return { ...this.#metadata(), ...metadata };
    if (path === '/keys') return { keys: [this.keys.jwk] };
    if (path === '/userinfo') return { sub: 'anna', ...userinfo };
    return path === '/token' ? this.#exchange(request) : undefined;
  }

  #metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  async #exchange(request: IncomingMessage): Promise<object | undefined> {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const grant = this.#grants.get(form.get('code')!);
    this.#grants.delete(form.get('code')!);
    const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url');
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const isRight = request.headers.authorization === basic && challenge === grant?.challenge;
    if (!isRight || form.get('redirect_uri') !== grant.redirectUri) return undefined;
    const { claims, token, tokens } = this.deviation;
    const said = this.claims({ nonce: grant.nonce, ...claims });
    const idToken = token ? await token(said, this.keys) : await this.sign(said);
    return { access_token: 'opaque', token_type: 'Bearer', id_token: idToken, ...tokens };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** A host that must not be asked for anything. */
export async function startTrap(): Promise<{ url: string; asked: string[]; stop: () => void }> {
  const server = await listen();
  const asked: string[] = [];
  server.on('request', (request, response) => {
    asked.push(request.url!);
    response.end('{}');
  });
  return { url: urlOf(server), asked, stop: () => server.close() };
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
