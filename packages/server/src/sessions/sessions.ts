/** Sessions: an access key is exchanged for a cookie that holds the session. */
import { randomUUID } from 'node:crypto';
import type { Authority } from '../db/nodes.ts';
import type { Caller, KeyRing } from '../keys/key-ring.ts';
import { seal, sessionId, unseal, type Session } from './seal.ts';
import { endSession, findSession } from './store.ts';

const minute = 60_000;
/** A session ends after this long without use, and at this age in any case. */
export const sessionLife = { idle: 30 * minute, longest: 12 * 60 * minute } as const;
/** A session in use gets a new cookie at most this often. */
const renewAfter = minute;
/** The clocks of two instances may differ by this much. */
const clockSkew = minute;

export interface SignedIn {
  caller: Caller;
  session: Session;
  /** The new value of the cookie; undefined if it stays as it was. */
  renewed: string | undefined;
}

export class Sessions {
  readonly #authority: Authority;
  readonly #keys: KeyRing;

  constructor(authority: Authority, keys: KeyRing) {
    this.#authority = authority;
    this.#keys = keys;
  }

  /** Always a new session with a new id, to prevent fixation. Undefined for an invalid key. */
  async start(key: string): Promise<SignedIn | undefined> {
    const caller = await this.#keys.identify(key);
    if (!caller) return undefined;
    const now = Date.now();
    const session = { id: randomUUID(), key, startedAt: now, seenAt: now };
    const found = await findSession(this.#authority, session.id);
    return found && { caller, session, renewed: seal(session, found.secret) };
  }

  /** Undefined for a session that is forged, expired or signed out, or whose key was revoked. */
  async resume(sealed: string): Promise<SignedIn | undefined> {
    const id = sessionId(sealed);
    const found = id === undefined ? undefined : await findSession(this.#authority, id);
    if (!found || found.ended) return undefined;
    const session = unseal(sealed, found.secret);
    const now = Date.now();
    if (!session || !isAlive(session, now)) return undefined;
    const caller = await this.#keys.identify(session.key);
    if (!caller) return undefined;
    if (now - session.seenAt < renewAfter) return { caller, session, renewed: undefined };
    const seen = { ...session, seenAt: now };
    return { caller, session: seen, renewed: seal(seen, found.secret) };
  }

  async end({ id }: Session): Promise<void> {
    await endSession(this.#authority, id);
  }
}

function isAlive({ startedAt, seenAt }: Session, now: number): boolean {
  const sinceSeen = now - seenAt;
  return (
    sinceSeen >= -clockSkew && sinceSeen < sessionLife.idle && now - startedAt < sessionLife.longest
  );
}

/** When the session ends unless it is used again. */
export function endsAt({ startedAt, seenAt }: Session): number {
  return Math.min(seenAt + sessionLife.idle, startedAt + sessionLife.longest);
}
