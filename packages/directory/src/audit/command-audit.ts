/** Records what a command did to customers, keys and people, by whoever is logged in to the database. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type pg from 'pg';
import type { Queries } from '../db/nodes.ts';
import { newChain, nextBatch } from './batch.ts';
import { toJson, type AccessAction, type AuditAction, type AuditEntry } from './entry.ts';
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
  await record(client, { ...counts, action, customers });
}

/**
 * Does something to a key or a person, in one transaction with its entry; false if there is none with this id. Must be
 * called outside a transaction.
 */
export async function changeAccess(
  client: pg.ClientBase,
  { action, target, audited = true }: { action: AccessAction; target: string; audited?: boolean },
  change: () => Promise<boolean>,
): Promise<boolean> {
  await client.query('begin');
  try {
    const isDone = await change();
    const counts = { page: 1, perPage: 0, total: null };
    if (isDone && audited) {
      await record(client, { ...counts, action, target, customers: Buffer.alloc(0) });
    }
    await client.query('commit');
    return isDone;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function record(
  client: pg.ClientBase,
  entry: Omit<AuditEntry, 'caller' | 'address' | 'requestId' | 'search'>,
): Promise<void> {
  const login = await describeLogin(client);
  const json = toJson({ ...login, ...entry, search: '' }, new Date(), undefined);
  const { customers } = entry;
  const entries = Buffer.from(`[${json}]`);
  await storeBatch(queriesOf(client), nextBatch(newChain(), { entries, customers }));
}
