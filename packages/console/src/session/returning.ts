/**
 * Signing in with a provider leaves this page. Where it was is kept in this tab meanwhile, and not sent to anybody:
 * the address holds the search. The server leads back with `#signed-in`, or with `#sign-in=` and a reason.
 */
export const refusals = [
  'cancelled',
  'disabled',
  'expired',
  'invalid',
  'no-groups',
  'no-role',
  'provider-unavailable',
  'unavailable',
] as const;
export type Refusal = (typeof refusals)[number];

const storageKey = 'clientele.return';

/** Goes to the provider's page. */
export function leaveToSignIn(apiUrl: string): void {
  try {
    sessionStorage.setItem(storageKey, location.pathname + location.search);
  } catch {
    // Storage may be blocked; then the list opens afterwards.
  }
  location.assign(`${apiUrl}/session/sign-in`);
}

/** Before the first paint: restores the address if the browser comes from the provider. */
export function comeBack(): { refusal: Refusal | undefined; hasSignedIn: boolean } {
  const [, signedIn, reason] = /^#(?:(signed-in)|sign-in=([a-z-]+))$/.exec(location.hash) ?? [];
  if (signedIn !== undefined || reason !== undefined) history.replaceState(null, '', takePlace());
  const refusal = refusals.find((known) => known === reason);
  return { refusal, hasSignedIn: signedIn !== undefined };
}

function takePlace(): string {
  try {
    const place = sessionStorage.getItem(storageKey) ?? '/';
    sessionStorage.removeItem(storageKey);
    return /^\/(?!\/)/.test(place) ? place : '/';
  } catch {
    return '/';
  }
}
