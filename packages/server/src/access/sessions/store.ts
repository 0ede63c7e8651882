/** Session queries. */
import {
  type Authority,
  codeOf,
  DatabaseUnavailableError,
  type Queries,
} from '@clientele/directory';

/** SQLSTATE of a write on a standby. */
const readOnly = '25006';

/** What the database knows of a session. Unless it goes on, all but the secret is null. */
export interface FoundSession {
  /** Shared by all sessions. */
  secret: Buffer;
  token_hash: Buffer | null;
  /** Those who sign in with an access key have a key, and no person. */
  key_id: string | null;
  person: string | null;
  issuer: string | null;
  name: string | null;
  account: string | null;
  roles: string[] | null;
}

/** What a provider said of a person who signs in. */
export interface NewPerson {
  issuer: string;
  subject: string;
  name: string;
  account: string | null;
  roles: readonly string[];
  providerSession: string | null;
}

/** Runs once per request. A disabled person has no session. */
export async function findSession(
  { lookups }: Authority,
  id: string,
): Promise<FoundSession | undefined> {
  const rows = await lookups.query<FoundSession>(
    {
      name: 'find-session',
      text: `select s.secret, x.token_hash, x.key_id, p.id as person, p.issuer, p.name, p.account, x.roles
             from clientele.session_secret as s
             left join clientele.sessions as x on x.id = $1
             left join clientele.people as p on p.id = x.person and p.disabled_at is null`,
    },
    [id],
  );
  return rows[0];
}

export async function findSecret({ lookups }: Authority): Promise<Buffer | undefined> {
  const text = 'select s.secret from clientele.session_secret as s';
  const rows = await lookups.query<{ secret: Buffer }>({ name: 'find-session-secret', text }, []);
  return rows[0]?.secret;
}

export async function startKeySession(
  { writes }: Authority,
  id: string,
  tokenHash: Buffer,
  keyId: string,
): Promise<void> {
  const text = 'select clientele.start_key_session($1, $2, $3)';
  await write(writes, { name: 'start-key-session', text }, [id, tokenHash, keyId]);
}

/** The person's id. Null for one who is disabled. */
export async function startPersonSession(
  { writes }: Authority,
  id: string,
  tokenHash: Buffer,
  person: NewPerson,
  signOutHint: string | null,
): Promise<string | null> {
  const { issuer, subject, name, account, roles, providerSession } = person;
  const rows = await write<{ person: string | null }>(
    writes,
    {
      name: 'start-person-session',
      text: 'select clientele.start_person_session($1, $2, $3, $4, $5, $6, $7, $8, $9) as person',
    },
    [id, tokenHash, issuer, subject, name, account, roles, providerSession, signOutHint],
  );
  return rows[0]?.person ?? null;
}

export async function findSignOutHint({ lookups }: Authority, id: string): Promise<string | null> {
  const text = 'select s.sign_out_hint as hint from clientele.sessions as s where s.id = $1';
  const rows = await lookups.query<{ hint: string | null }>({ name: 'find-hint', text }, [id]);
  return rows[0]?.hint ?? null;
}

/** Once this resolves, no instance accepts the session any more. */
export async function endSession({ writes }: Authority, id: string): Promise<void> {
  await write(writes, { name: 'end-session', text: 'select clientele.end_session($1)' }, [id]);
}

/** One session of the provider, or without its name all of the person. */
export async function endProviderSessions(
  { writes }: Authority,
  issuer: string,
  subject: string | null,
  providerSession: string | null,
): Promise<void> {
  const text = 'select clientele.end_provider_sessions($1, $2, $3)';
  const values = [issuer, subject, providerSession];
  await write(writes, { name: 'end-provider-sessions', text }, values);
}

async function write<Row extends object>(
  writes: Queries,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<Row[]> {
  return writes.query<Row>(statement, values).catch((error: unknown) => {
    if (codeOf(error) !== readOnly) throw error;
    throw new DatabaseUnavailableError(undefined, { cause: error });
  });
}
