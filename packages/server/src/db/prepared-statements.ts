/**
 * Runs statements that a connection prepares once. There are some thousand of them, for all filters, orders and numbers
 * of words, and each takes memory in this process and in the database: a connection keeps those used last.
 */
import type pg from 'pg';
import type { RunStatement, Statement } from './statement.ts';

const mostPerConnection = 100;

/** Where pg keeps the texts that a connection has prepared, by name. */
interface Prepared {
  connection: { parsedStatements: Record<string, string> };
}

/** The names in the order of their last use. */
const names = new WeakMap<pg.ClientBase, Set<string>>();

/** Statements of the two views never have the same name: not even a pooler that mixes up sessions mixes them up. */
export function runOn(client: pg.ClientBase, view: 'full' | 'masked'): RunStatement {
  const prefix = view === 'masked' ? 'masked-' : '';
  return async <Row extends object>(statement: Statement, values: unknown[]) => {
    const name = statement.name && prefix + statement.name;
    if (name) await makeRoom(client, name);
    return (await client.query<Row>({ name, text: statement.text, values })).rows;
  };
}

async function makeRoom(client: pg.ClientBase, name: string): Promise<void> {
  const used = names.get(client) ?? new Set();
  names.set(client, used);
  used.delete(name);
  used.add(name);
  if (used.size <= mostPerConnection) return;
  const oldest = used.values().next().value!;
  const { parsedStatements } = (client as unknown as Prepared).connection;
  const text = parsedStatements[oldest];
  used.delete(oldest);
  delete parsedStatements[oldest];
  if (text === undefined) return;
  try {
    await client.query(`deallocate "${oldest}"`);
  } catch (error) {
    // It was cancelled, for example: the statement is still prepared.
    used.add(oldest);
    parsedStatements[oldest] = text;
    throw error;
  }
}
