/** Sessions: an access key, or a provider's word for a person, is exchanged for a cookie. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Scope } from '@clientele/contract';
import { type Authority, sameHash } from '@clientele/directory';
import type { Caller, KeyChecks, KeyRing } from '../keys/key-ring.ts';
import { closeBox, openBox, seal, sessionId, unseal, type Session } from './seal.ts';
import {
  endSession,
  findSecret,
  findSession,
  findSignOutHint,
  startKeySession,
  startPersonSession,
  type FoundSession,
  type NewPerson,
} from './store.ts';

const minute = 60_000;
/** A session ends after this long without use, and at this age in any case. */
export const sessionLife = { idle: 30 * minute, longest: 12 * 60 * minute } as const;
/** A session in use gets a new cookie at most this often. */
const renewAfter = minute;
/** The clocks of two instances may differ by this much. */
const clockSkew = minute;

/** Who may sign in by a provider, and what their roles allow. */
export interface PeopleRules {
  issuer: string;
  scopesOf: (roles: readonly string[]) => readonly Scope[];
  recordsPerDayOf: (roles: readonly string[]) => number | undefined;
}

export interface SignedIn {
  caller: Caller;
  /** Of a person. */
  about?: { account: string | null; roles: readonly string[] };
  session: Session;
  /** The new value of the cookie; undefined if it stays as it was. */
  renewed: string | undefined;
}

export class Sessions {
  readonly #authority: Authority;
  readonly #keys: KeyRing;
  readonly #people: PeopleRules | undefined;
  /** As the database last said. What it does not open is made up, or the secret is new. */
  #secret: Buffer | undefined;

  constructor(authority: Authority, keys: KeyRing, people?: PeopleRules) {
    this.#authority = authority;
    this.#keys = keys;
    this.#people = people;
  }

  /** Undefined for an invalid key. */
  async start(key: string, checks?: KeyChecks): Promise<SignedIn | undefined> {
    const caller = await this.#keys.identify(key, checks);
    if (!caller) return undefined;
    return this.#start(async (id, tokenHash) => {
      await startKeySession(this.#authority, id, tokenHash, caller.id);
      return { caller };
    });
  }

  /** Undefined for a disabled person. The ID token is kept for the provider, if it is not too long. */
  async startPerson(person: NewPerson, idToken: string): Promise<SignedIn | undefined> {
    return this.#start(async (id, tokenHash, token) => {
      const hint =
        idToken.length > longestHint ? null : closeBox({ idToken }, hintFor, keyOf(token));
      const personId = await startPersonSession(this.#authority, id, tokenHash, person, hint);
      return personId === null ? undefined : this.#asPerson(personId, person);
    });
  }

  /** Always a new session with a new id, to prevent fixation. */
  async #start(
    record: (
      id: string,
      tokenHash: Buffer,
      token: string,
    ) => Promise<Pick<SignedIn, 'caller' | 'about'> | undefined>,
  ): Promise<SignedIn | undefined> {
    const now = Date.now();
    const token = randomBytes(32).toString('base64url');
    const session = { id: randomUUID(), token, startedAt: now, seenAt: now };
    const secret = await this.#findSecret();
    const who = secret && (await record(session.id, hashOf(token), token));
    return who && { ...who, session, renewed: seal(session, secret) };
  }

  /**
   * Undefined for a session that is forged, expired or signed out, or whose key or person is no longer valid. One that
   * is made up is limited as wrong keys are.
   */
  async resume(sealed: string, checks?: KeyChecks): Promise<SignedIn | undefined> {
    const id = sessionId(sealed);
    if (id === undefined) return undefined;
    if (this.#secret && !unseal(sealed, this.#secret)) checks?.before();
    const found = await findSession(this.#authority, id);
    this.#secret = found?.secret ?? this.#secret;
    const session = found && unseal(sealed, found.secret);
    if (!session) {
      checks?.wrong();
      return undefined;
    }
    const now = Date.now();
    if (!found.token_hash || !isAlive(session, now)) return undefined;
    if (!sameHash(found.token_hash, hashOf(session.token))) return undefined;
    const who = await this.#whoIs(found);
    if (!who) return undefined;
    if (now - session.seenAt < renewAfter) return { ...who, session, renewed: undefined };
    const seen = { ...session, seenAt: now };
    return { ...who, session: seen, renewed: seal(seen, found.secret) };
  }

  async #whoIs(found: FoundSession): Promise<Pick<SignedIn, 'caller' | 'about'> | undefined> {
    if (found.key_id !== null) {
      const caller = await this.#keys.find(found.key_id);
      return caller && { caller };
    }
    const { person, issuer, name, account, roles } = found;
    if (person === null || issuer !== this.#people?.issuer) return undefined;
    return this.#asPerson(person, { name: name!, account, roles: roles ?? [] });
  }

  #asPerson(id: string, { name, account, roles }: Pick<NewPerson, 'name' | 'account' | 'roles'>) {
    const scopes = this.#people?.scopesOf(roles) ?? [];
    const recordsPerDay = this.#people?.recordsPerDayOf(roles);
    const caller: Caller = { kind: 'person', id, name, scopes, recordsPerDay };
    return { caller, about: { account, roles } };
  }

  /** For another cookie of ours. */
  async closeBox(content: object, purpose: string): Promise<string> {
    return closeBox(content, purpose, (await this.#findSecret())!);
  }

  /** Undefined unless `closeBox` made it. */
  async openBox<T>(box: string, purpose: string, checks: KeyChecks): Promise<T | undefined> {
    const known = this.#secret && openBox<T>(box, purpose, this.#secret);
    if (known) return known;
    if (this.#secret) checks.before();
    const opened = openBox<T>(box, purpose, (await this.#findSecret())!);
    if (!opened) checks.wrong();
    return opened;
  }

  async #findSecret(): Promise<Buffer | undefined> {
    this.#secret = await findSecret(this.#authority);
    return this.#secret;
  }

  async end({ id }: Session): Promise<void> {
    await endSession(this.#authority, id);
  }

  /** The ID token with which a person signed in. */
  async idTokenOf({ id, token }: Session): Promise<string | undefined> {
    const hint = await findSignOutHint(this.#authority, id);
    return hint === null
      ? undefined
      : openBox<{ idToken: string }>(hint, hintFor, keyOf(token))?.idToken;
  }
}

/** Characters of an ID token that is sent back in an address. */
const longestHint = 4_000;
const hintFor = 'clientele sign-out 1';
const keyOf = (token: string): Buffer => hash('sha256', `${hintFor} ${token}`, 'buffer');
const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

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
