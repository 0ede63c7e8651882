import { bearerToken, type Identify } from './authenticate.ts';
import type { IdentityGuard } from './identity-guard.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Origins } from './same-origin.ts';
import { resume, sessionCookie } from './sessions/session-cookie.ts';
import type { Sessions } from './sessions/sessions.ts';

/** By the access key if one was sent, otherwise by the session, which is renewed by being used. */
export function identifyBy(
  keys: KeyRing,
  sessions: Sessions,
  origins: Origins,
  guard: IdentityGuard,
): Identify {
  const cookie = sessionCookie(origins);
  return async (request, reply) => {
    if (request.headers.authorization !== undefined) {
      const key = bearerToken(request);
      if (key === undefined) return undefined;
      const checks = guard.checksOf(request);
      return keys.identify(key, {
        ...checks,
        before: () => {
          guard.refuseIfFull(request);
          checks.before();
        },
      });
    }
    guard.refuseIfFull(request);
    return (await resume(sessions, cookie, request, reply, origins, guard))?.caller;
  };
}
