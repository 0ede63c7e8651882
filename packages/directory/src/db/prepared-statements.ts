/**
 * Runs statements that a connection prepares once. There are some thousand of them, for all filters, orders and numbers
 * of words, and each takes memory in this process and in the database: a connection keeps those used last.
 *
 * The names are the connection's own, and it prepares each inside a transaction of its own session. So behind a pooler
 * that gives it another session, a statement fails, rather than run with the role and the settings of somebody else.
 */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { RunStatement, Statement } from './statement.ts';

const mostPerConnection = 100;

/** Where pg keeps the texts that a connection has prepared, by name. */
interface Prepared {
  connection: { parsedStatements: Record<string, string> };
}

interface Own {
  /** Of all names, so that no other connection has the same. Seven bytes: PostgreSQL keeps 63 of a name. */
  prefix: string;
  /** The names of statements, each as the connection has it, in the order of their last use. */
  used: Map<string, string>;
}

const owned = new WeakMap<pg.ClientBase, Own>();

/** Begins a snapshot. */
export const begin = {
  name: 'begin',
  text: 'begin isolation level repeatable read read only',
};
export const end = { name: 'end', text: 'commit' };

/** What every connection prepares in its own session, before anything else. */
const first = { name: 'first', text: 'begin' };
const own = { name: 'own', text: 'select' };

/** The first transaction of a connection: the session in which it begins is the connection's own. */
export async function firstTransaction<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
): Promise<T> {
  owned.set(client, { prefix: `${randomBytes(4).toString('base64url')} `, used: new Map() });
  return inTransaction(client, async () => {
    await query(client, own, []);
    return work();
  });
}

/** On a connection that has had its first transaction. */
export function runOn(client: pg.ClientBase): RunStatement {
  return async <Row extends object>(statement: Statement, values: unknown[]) => {
    const run = () => query<Row>(client, statement, values);
    if (statement === end) return run();
    if (statement.name && statement !== begin) await makeRoom(client, statement.name);
    // Without a name, a statement is never prepared.
    const isNew = !Object.hasOwn(textsOf(client), nameOf(client, statement));
    if (!isNew || client.getTransactionStatus() !== 'I') return run();
    if (statement !== begin) return inTransaction(client, run);
    const rows = await run();
    // It may have begun in another session, where this fails.
    await query(client, own, []);
    return rows;
  };
}

const textsOf = (client: pg.ClientBase): Record<string, string> =>
  (client as unknown as Prepared).connection.parsedStatements;

/** Built once for each connection: building and hashing a name for each query costs measurable processor time. */
function nameOf(client: pg.ClientBase, { name }: Pick<Statement, 'name'>): string {
  const { prefix, used } = owned.get(client)!;
  return used.get(name) ?? (name && prefix + name);
}

const query = async <Row extends object>(
  client: pg.ClientBase,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> =>
  (await client.query<Row>({ ...statement, name: nameOf(client, statement), values })).rows;

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await query(client, first, []);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Nothing to commit. If this fails, the connection is not used again.
    await query(client, end, []).catch(() => undefined);
    throw error;
  }
  await query(client, end, []);
  return result;
}

async function makeRoom(client: pg.ClientBase, name: string): Promise<void> {
  const { used } = owned.get(client)!;
  const whole = nameOf(client, { name });
  used.delete(name);
  used.set(name, whole);
  if (used.size <= mostPerConnection) return;
  const [oldest, prepared] = used.entries().next().value!;
  const texts = textsOf(client);
  const text = texts[prepared];
  used.delete(oldest);
  delete texts[prepared];
  if (text === undefined) return;
  try {
    await client.query(`deallocate "${prepared}"`);
  } catch (error) {
    // It was cancelled, for example: the statement is still prepared.
    used.set(oldest, prepared);
    texts[prepared] = text;
    throw error;
  }
}
