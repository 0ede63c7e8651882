/** Who is signed in: keys exchanged for sessions, which live in a cookie. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Caller, KeyRing } from '../keys/key-ring.ts';
import { seal, sessionId, unseal, type Session } from './seal.ts';
import { endSession, findSession } from './store.ts';

const minute = 60_000;
/** A session ends when nobody used it for this long, and in any case at this age. */
export const sessionLife = { idle: 30 * minute, longest: 12 * 60 * minute } as const;
/** Sessions in use are sealed anew at most this often. */
const renewAfter = minute;
/** Instances' clocks may differ by this much. */
const clockSkew = minute;

export interface SignedIn {
  caller: Caller;
  session: Session;
  /** What the cookie should hold from now on; undefined when that is what it holds. */
  renewed: string | undefined;
}

export class Sessions {
  readonly #database: Database;
  readonly #keys: KeyRing;

  constructor(database: Database, keys: KeyRing) {
    this.#database = database;
    this.#keys = keys;
  }

  /** A new session under a new id, whatever the browser had before. Undefined for a wrong key. */
  async start(key: string): Promise<SignedIn | undefined> {
    const caller = await this.#keys.identify(key);
    if (!caller) return undefined;
    const now = Date.now();
    const session = { id: randomUUID(), key, startedAt: now, seenAt: now };
    const found = await findSession(this.#database, session.id);
    return found && { caller, session, renewed: seal(session, found.secret) };
  }

  /** Undefined for a session that is made up, over, signed out, or of a revoked key. */
  async resume(sealed: string): Promise<SignedIn | undefined> {
    const id = sessionId(sealed);
    const found = id === undefined ? undefined : await findSession(this.#database, id);
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
    await endSession(this.#database, id);
  }
}

function isAlive({ startedAt, seenAt }: Session, now: number): boolean {
  const sinceSeen = now - seenAt;
  return (
    sinceSeen >= -clockSkew && sinceSeen < sessionLife.idle && now - startedAt < sessionLife.longest
  );
}

/** When the session ends if nothing happens. */
export function endsAt({ startedAt, seenAt }: Session): number {
  return Math.min(seenAt + sessionLife.idle, startedAt + sessionLife.longest);
}
