/** What the provider says of a person, and whether that is enough to sign in. */
import type { OidcConfig } from '../../settings/access-settings.ts';
import type { NewPerson } from '../sessions/store.ts';

/** Why somebody could not sign in. The console has a text for each. */
export type Refusal =
  | 'cancelled' // by the person, or refused by the provider
  | 'disabled'
  | 'expired' // it took too long, or was started in another browser
  | 'invalid' // the provider's response
  | 'no-groups' // the claim is missing
  | 'no-role' // none of the groups gives one
  | 'provider-unavailable'
  | 'unavailable'; // our own database

export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal, options);
    this.refusal = refusal;
  }
}

export type Claims = Readonly<Record<string, unknown>>;

export function toPerson(claims: Claims, { issuer, rolesClaim, roles }: OidcConfig): NewPerson {
  const { sub: subject, sid } = claims;
  if (!isIdentifier(subject) || (sid !== undefined && !isIdentifier(sid))) {
    throw new RefusalError('invalid');
  }
  const groups = groupsOf(claims, rolesClaim);
  if (!groups) throw new RefusalError('no-groups');
  const given = roles.rolesOf(groups);
  if (given.length === 0) throw new RefusalError('no-role');
  const account = text(claims['email'], 320) ?? text(claims['preferred_username'], 320);
  return {
    issuer,
    subject,
    name: text(claims['name'], 200) ?? account?.slice(0, 200) ?? subject.slice(0, 200),
    account: account ?? null,
    roles: given,
    providerSession: sid ?? null,
  };
}

/** Undefined if the claim is missing, or cannot be relied on. */
export function groupsOf(claims: Claims, rolesClaim: string): string[] | undefined {
  // At some providers, people choose their own e-mail address.
  if (rolesClaim === 'email' && claims['email_verified'] !== true) return undefined;
  const value = Object.hasOwn(claims, rolesClaim)
    ? claims[rolesClaim]
    : rolesClaim.split('.').reduce<unknown>(member, claims);
  if (typeof value === 'string') return [value];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList ? value : undefined;
}

const member = (from: unknown, name: string): unknown =>
  typeof from === 'object' && from !== null && Object.hasOwn(from, name)
    ? (from as Record<string, unknown>)[name]
    : undefined;

/** As the standard requires of `sub`. */
const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value);

/** Without control characters and lone surrogates, and not longer than a column. */
function text(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const clean = value
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return Array.from(clean).slice(0, longest).join('') || undefined;
}
