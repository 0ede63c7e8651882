/** The provider of OpenID Connect: where people sign in, what it says of them, and where they sign out. */
import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify, type JWTPayload } from 'jose';
import * as oidc from 'openid-client';
import type { OidcConfig } from '../../settings/access-settings.ts';
import { groupsOf, RefusalError, type Claims } from './person.ts';
import { ProviderError, providerFetch, type ProviderFetch } from './provider-fetch.ts';

/** What has to come back from the provider, kept in the browser meanwhile. */
export interface Transaction {
  state: string;
  nonce: string;
  verifier: string;
  startedAt: number;
}

/** Where sign-ins come back to. To be registered at the provider. */
export const callbackPath = '/session/callback';

/** How long its description of itself is used. After that, we also notice that it is down. */
const describedForMs = 60_000;
const clockToleranceSeconds = 60;
/** Signatures that need no shared secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

interface Described {
  client: oidc.Configuration;
  /** Fetched once, so that a made-up sign-out costs the provider nothing. */
  keys: ReturnType<typeof createRemoteJWKSet>;
  until: number;
}

export class Provider {
  readonly #config: OidcConfig;
  readonly #hosts: ReadonlySet<string>;
  readonly #fetch: ProviderFetch;
  #described: Promise<Described> | undefined;

  constructor(config: OidcConfig) {
    this.#config = config;
    this.#hosts = new Set([new URL(config.issuer).host, ...config.hosts]);
    this.#fetch = providerFetch(this.#hosts);
  }

  /** The page of the provider that a sign-in starts at. */
  async startUrl({ state, nonce, verifier }: Transaction): Promise<string> {
    const { client } = await this.#describe();
    return oidc.buildAuthorizationUrl(client, {
      redirect_uri: this.#config.publicOrigin + callbackPath,
      scope: this.#scope(client),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** What is said of the person whose sign-in came back to this URL. */
  async finish(
    url: URL,
    { state, nonce, verifier }: Transaction,
  ): Promise<{ claims: Claims; idToken: string }> {
    const { client } = await this.#describe();
    const tokens = await oidc.authorizationCodeGrant(client, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const idToken = tokens.id_token!;
    const { userinfo_endpoint: more } = client.serverMetadata();
    const isEnough = groupsOf(claims, this.#config.rolesClaim) && claims['name'] !== undefined;
    if (isEnough || !more || !this.#isOurs(more)) {
      return { claims, idToken };
    }
    // Some providers keep tokens small. The library refuses the claims of another subject.
    const info = await oidc.fetchUserInfo(client, tokens.access_token, claims.sub);
    return { claims: { ...info, ...claims }, idToken };
  }

  /** Where a person signs out of the provider, if it has such a page. */
  async endUrl(idToken: string | undefined): Promise<string | undefined> {
    const { client } = await this.#describe();
    const { end_session_endpoint: page } = client.serverMetadata();
    if (!page || !this.#isOurs(page)) return undefined;
    const back = `${this.#config.publicOrigin}/`;
    return oidc.buildEndSessionUrl(client, {
      post_logout_redirect_uri: back,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    }).href;
  }

  /** The person or the session that the provider signs out. Rejects a token that is not its own. */
  async readLogoutToken(
    token: string,
  ): Promise<{ subject: string | null; session: string | null }> {
    const { keys } = await this.#describe();
    const { payload } = await jwtVerify(token, keys, {
      issuer: this.#config.issuer,
      audience: this.#config.clientId,
      algorithms,
      requiredClaims: ['jti'],
      maxTokenAge: 600,
      clockTolerance: clockToleranceSeconds,
    });
    return whoIsOut(payload);
  }

  #scope(client: oidc.Configuration): string {
    const { scopes_supported: supported } = client.serverMetadata();
    const known = supported ?? ['profile', 'email'];
    const wanted = ['profile', 'email', 'groups'].filter((scope) => known.includes(scope));
    return ['openid', ...wanted].join(' ');
  }

  async #describe(): Promise<Described> {
    const known = await this.#described?.catch(() => undefined);
    if (known && known.until > performance.now()) return known;
    const described = this.#discover();
    this.#described = described;
    return described;
  }

  async #discover(): Promise<Described> {
    const { issuer, clientId, clientSecret } = this.#config;
    const until = performance.now() + describedForMs;
    const metadata = { [oidc.clockTolerance]: clockToleranceSeconds };
    try {
      const client = await oidc.discovery(
        new URL(issuer),
        clientId,
        metadata,
        clientAuth(clientSecret),
        {
          [oidc.customFetch]: this.#fetch,
          execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
        },
      );
      this.#check(client.serverMetadata());
      client[oidc.customFetch] = this.#fetch;
      // The library would trust an ID token that comes from the token endpoint without looking at its signature.
      oidc.enableNonRepudiationChecks(client);
      const { jwks_uri } = client.serverMetadata();
      const keys = createRemoteJWKSet(new URL(jwks_uri!), { [joseFetch]: this.#fetch });
      return { client, keys, until };
    } catch (cause) {
      throw new RefusalError('provider-unavailable', { cause });
    }
  }

  #check(described: oidc.ServerMetadata): void {
    const { authorization_endpoint: page, token_endpoint: tokens, jwks_uri: keys } = described;
    if (described.issuer !== this.#config.issuer) {
      throw new ProviderError('ISSUER_MISMATCH');
    }
    if (![page, tokens, keys].every((url) => url !== undefined && this.#isOurs(url))) {
      throw new ProviderError('HOST_NOT_CONFIGURED');
    }
  }

  #isOurs(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { protocol, host } = new URL(url);
    const isSafe = protocol === 'https:' || protocol === new URL(this.#config.issuer).protocol;
    return isSafe && this.#hosts.has(host);
  }
}

/** The method that every provider has to support, unless it says otherwise. */
function clientAuth(secret: string): oidc.ClientAuth {
  const basic = oidc.ClientSecretBasic(secret);
  const post = oidc.ClientSecretPost(secret);
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods } = server;
    const useBasic = !methods || methods.includes('client_secret_basic');
    return (useBasic ? basic : post)(server, ...rest);
  };
}

function whoIsOut({ sub, sid, nonce, events }: JWTPayload) {
  const isLogout = typeof events === 'object' && events !== null && logoutEvent in events;
  const subject = typeof sub === 'string' ? sub : null;
  const session = typeof sid === 'string' ? sid : null;
  // A nonce shows that it is an ID token.
  if (!isLogout || nonce !== undefined || (subject === null && session === null)) {
    throw new RefusalError('invalid');
  }
  return { subject, session };
}
