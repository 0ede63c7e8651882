/** Access key queries. The CLI writes keys; the server only reads them. */
import type { Scope } from '@clientele/contract';
import type pg from 'pg';
import type { Queries } from '../db/nodes.ts';
import type { NewAccessKey } from './access-key.ts';

export interface AccessKeyRecord {
  id: string;
  name: string;
  scopes: Scope[];
  created_at: Date;
  revoked_at: Date | null;
  expires_at: Date | null;
  /** By the database's clock. */
  is_expired: boolean;
  /** To about a minute. */
  last_used_at: Date | null;
  records_per_day: number | null;
  records_today: number;
}

export interface ActiveKey {
  id: string;
  name: string;
  secret_hash: Buffer;
  scopes: Scope[];
  records_per_day: number | null;
  /** Milliseconds, by the database's clock. */
  expires_in: number | null;
}

/** What limits a key besides its scopes. */
export interface KeyLimits {
  expiresInSeconds?: number | undefined;
  /** How many customers it may be shown on one day, in UTC. */
  recordsPerDay?: number | undefined;
}

export async function findActiveKey(keys: Queries, id: string): Promise<ActiveKey | undefined> {
  const rows = await keys.query<ActiveKey>(
    {
      name: 'find-key',
      text: `select k.id, k.name, k.secret_hash, k.scopes, k.records_per_day::float8,
               extract(epoch from k.expires_at - clock_timestamp())::float8 * 1000 as expires_in
             from clientele.access_keys as k
             where k.id = $1 and k.revoked_at is null
               and (k.expires_at is null or k.expires_at > clock_timestamp())`,
    },
    [id],
  );
  return rows[0];
}

export async function insertKey(
  client: pg.ClientBase,
  { id, secretHash }: NewAccessKey,
  name: string,
  scopes: readonly Scope[],
  { expiresInSeconds, recordsPerDay }: KeyLimits = {},
): Promise<void> {
  await client.query(
    `insert into clientele.access_keys
       (id, name, secret_hash, scopes, expires_at, records_per_day)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)`,
    [id, name, secretHash, scopes, expiresInSeconds, recordsPerDay],
  );
}

export async function listKeys(client: pg.ClientBase): Promise<AccessKeyRecord[]> {
  const { rows } = await client.query<AccessKeyRecord>(
    `select k.id, k.name, k.scopes, k.created_at, k.revoked_at, k.expires_at,
       coalesce(k.expires_at <= now(), false) as is_expired, k.last_used_at,
       k.records_per_day::float8, coalesce(r.records, 0)::float8 as records_today
     from clientele.access_keys as k
     left join clientele.records_shown as r
       on r.caller = k.id and r.day = (now() at time zone 'utc')::date
     order by k.created_at, k.id`,
  );
  return rows;
}

/** False if there is no such key. Revoking a key again keeps the first timestamp. */
export async function revokeKey(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update clientele.access_keys as k
     set revoked_at = coalesce(k.revoked_at, now())
     where k.id = $1`,
    [id],
  );
  return rowCount === 1;
}
