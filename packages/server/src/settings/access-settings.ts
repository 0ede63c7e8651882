/** Settings of where people reach the service, and of the provider that they sign in with. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { codeOf } from '@clientele/directory';
import { parseRoles, type Roles } from './roles.ts';

type Environment = Record<string, string | undefined>;

/** A provider of OpenID Connect. */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim that lists the groups of a person. */
  rolesClaim: string;
  /** Hosts, besides the issuer's, that requests may be sent to. */
  hosts: string[];
  roles: Roles;
  publicOrigin: string;
}

export const accessSettings = [
  'CLIENTELE_PUBLIC_ORIGIN',
  'CLIENTELE_OIDC_ISSUER',
  'CLIENTELE_OIDC_CLIENT_ID',
  'CLIENTELE_OIDC_CLIENT_SECRET_FILE',
  'CLIENTELE_OIDC_ROLES_CLAIM',
  'CLIENTELE_OIDC_HOSTS',
  'CLIENTELE_ROLES_FILE',
];

export function isAddressRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && (bits === undefined || (/^\d+$/.test(bits) && +bits <= most));
}

export const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text;

/** Over plain HTTP, others on the network could read cookies and secrets. */
const isPrivate = (url: string): boolean =>
  /^(https:|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$))/.test(url);

export function readPublicOrigin(env: Environment, faults: string[]): string | undefined {
  const origin = env['CLIENTELE_PUBLIC_ORIGIN'] || undefined;
  if (origin !== undefined && !(isOrigin(origin) && isPrivate(origin))) {
    faults.push(
      'CLIENTELE_PUBLIC_ORIGIN must be an origin like https://customers.example; http:// is for localhost only',
    );
  }
  return origin;
}

/** Undefined where nobody signs in with a provider. */
export function readOidc(env: Environment, faults: string[]): OidcConfig | undefined {
  const issuer = env['CLIENTELE_OIDC_ISSUER'] || '';
  if (issuer === '') {
    const given = accessSettings.slice(2).filter((name) => env[name]);
    if (given.length > 0) {
      faults.push(`${given.join(', ')} must not be set without CLIENTELE_OIDC_ISSUER`);
    }
    return undefined;
  }
  if (!isIssuer(issuer)) {
    faults.push(
      'CLIENTELE_OIDC_ISSUER must be a URL like https://login.example/realms/staff, without a query',
    );
  }
  if (env['CLIENTELE_AUTH'] === 'none') {
    faults.push('CLIENTELE_OIDC_ISSUER must not be set together with CLIENTELE_AUTH=none');
  }
  const needed = (name: string): string => {
    if (!env[name]) faults.push(`${name} must be set together with CLIENTELE_OIDC_ISSUER`);
    return env[name] ?? '';
  };
  const file = (name: string): string => {
    const path = needed(name);
    if (path === '') return '';
    try {
      return readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    } catch (error) {
      faults.push(`${name} must name a file that can be read (${codeOf(error) ?? 'unknown'})`);
      return '';
    }
  };
  const hosts = (env['CLIENTELE_OIDC_HOSTS'] ?? '').split(',').map((host) => host.trim());
  const given = hosts.filter((host) => host !== '');
  if (!given.every((host) => isOrigin(`https://${host}`))) {
    faults.push('CLIENTELE_OIDC_HOSTS must be hosts like keys.example, separated by commas');
  }
  const clientSecret = file('CLIENTELE_OIDC_CLIENT_SECRET_FILE');
  const roles = file('CLIENTELE_ROLES_FILE');
  return {
    issuer,
    clientId: needed('CLIENTELE_OIDC_CLIENT_ID'),
    clientSecret,
    rolesClaim: env['CLIENTELE_OIDC_ROLES_CLAIM'] || 'groups',
    hosts: given,
    roles: parseRoles(roles, roles === '' ? [] : faults),
    publicOrigin: needed('CLIENTELE_PUBLIC_ORIGIN'),
  };
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || !isPrivate(text)) return false;
  const { search, hash, username } = new URL(text);
  return search === '' && hash === '' && username === '';
}
