/** Records what a command did to customers, by whoever is logged in to the database. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type pg from 'pg';
import type { Queries } from '../db/nodes.ts';
import { newChain, nextBatch } from './batch.ts';
import { toJson, type AuditAction, type AuditEntry } from './entry.ts';
import { uuidBytes } from './shown.ts';
import { storeBatch } from './store.ts';

/** The parts of an entry that say who runs a command. */
export async function describeLogin(
  client: pg.ClientBase,
): Promise<Pick<AuditEntry, 'caller' | 'address' | 'requestId'>> {
  const { rows } = await client.query<{ login: string; address: string | null }>(
    'select session_user as login, host(inet_client_addr()) as address',
  );
  const { login, address } = rows[0]!;
  const caller = { kind: 'login', id: login, name: userInfo().username } as const;
  return { caller, address: address ?? 'local', requestId: randomUUID() };
}

export const queriesOf = (client: pg.ClientBase): Queries => ({
  query: async <Row extends object>(
    statement: Parameters<Queries['query']>[0],
    values: Parameters<Queries['query']>[1],
  ) => (await client.query<Row>({ ...statement, values: values as unknown[] })).rows,
});

/** An entry with these customers, in the transaction that the connection has open. */
export async function recordAction(
  client: pg.ClientBase,
  action: AuditAction,
  uuids: readonly string[],
): Promise<void> {
  if (uuids.length === 0) return;
  const customers = Buffer.concat(uuids.map(uuidBytes));
  const counts = { page: 1, perPage: uuids.length, total: uuids.length };
  const login = await describeLogin(client);
  const json = toJson(
    { ...login, ...counts, action, search: '', customers },
    new Date(),
    undefined,
  );
  const entries = Buffer.from(`[${json}]`);
  await storeBatch(queriesOf(client), nextBatch(newChain(), { entries, customers }));
}
