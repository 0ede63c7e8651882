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
}

export interface ActiveKey {
  id: string;
  name: string;
  secret_hash: Buffer;
  scopes: Scope[];
}

export async function findActiveKey(keys: Queries, id: string): Promise<ActiveKey | undefined> {
  const rows = await keys.query<ActiveKey>(
    {
      name: 'find-key',
      text: `select k.id, k.name, k.secret_hash, k.scopes
             from clientele.access_keys as k
             where k.id = $1 and k.revoked_at is null`,
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
): Promise<void> {
  await client.query(
    'insert into clientele.access_keys (id, name, secret_hash, scopes) values ($1, $2, $3, $4)',
    [id, name, secretHash, scopes],
  );
}

export async function listKeys(client: pg.ClientBase): Promise<AccessKeyRecord[]> {
  const { rows } = await client.query<AccessKeyRecord>(
    `select k.id, k.name, k.scopes, k.created_at, k.revoked_at
     from clientele.access_keys as k
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
