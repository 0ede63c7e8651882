/**
 * The first import: into an empty directory, rows are written without the trigram index, which is built after
 * them. docs/decisions/import.md explains what happens after a kill and with several imports at once.
 */
import type pg from 'pg';
import { connectAsWriter } from './connect-as-writer.ts';

type Log = (line: string) => void;

/** Held shared by imports that write without the index. Whoever builds it waits for all of them. */
const lock = `hashtextextended('clientele first import', 0)`;
const begin = `begin isolation level read committed;
  set local statement_timeout = 0;
  set local lock_timeout = 0`;
const indexMissing = 'exists (select from clientele.deferred_indexes)';
const logAfterMs = 2_000;

export class FirstImport {
  readonly #client: pg.Client;
  #locked: boolean;

  private constructor(client: pg.Client, locked: boolean) {
    this.#client = client;
    this.#locked = locked;
  }

  /** Undefined if the index stays, because there are customers already. */
  static async join(client: pg.Client): Promise<FirstImport | undefined> {
    // Not granted while another import waits to build the index, which then happens during this one.
    const locked = await ask(client, `pg_try_advisory_lock_shared(${lock})`);
    if (await ask(client, 'clientele.begin_first_import()')) return new FirstImport(client, locked);
    if (locked) await ask(client, `pg_advisory_unlock_shared(${lock})`);
    return undefined;
  }

  /** Waits for the other imports and builds the index, unless one of them has built it. */
  async finish(log: Log): Promise<void> {
    if (this.#locked) await ask(this.#client, `pg_advisory_unlock_shared(${lock})`);
    this.#locked = false;
    await this.#client.query(begin);
    await logIfSlow(this.#client.query(`select pg_advisory_xact_lock(${lock})`), () =>
      log('Waiting for other imports to finish before building the search index.'),
    );
    await build(this.#client, log);
  }
}

/** Builds the index if a first import was interrupted before it did. Leaves it to an import that is running. */
export async function repairFirstImport(client: pg.Client, log: Log): Promise<void> {
  if (!(await ask(client, indexMissing))) return;
  await client.query(begin);
  if (await ask(client, `pg_try_advisory_xact_lock(${lock})`)) await build(client, log);
  else await client.query('rollback');
}

/** Whether a first import has not built the index. False if the database cannot be asked. */
export async function isIndexMissing(databaseUrl: string): Promise<boolean> {
  try {
    const client = await connectAsWriter(databaseUrl);
    try {
      return await ask(client, indexMissing);
    } finally {
      await client.end();
    }
  } catch {
    return false;
  }
}

async function build(client: pg.Client, log: Log): Promise<void> {
  await logIfSlow(client.query('select clientele.finish_first_import()'), () =>
    log('Building the search index.'),
  );
  await client.query('commit');
}

async function ask(client: pg.Client, expression: string): Promise<boolean> {
  const { rows } = await client.query<{ result: boolean }>(`select ${expression} as result`);
  return rows[0]!.result;
}

async function logIfSlow(work: Promise<unknown>, log: () => void): Promise<void> {
  const timer = setTimeout(log, logAfterMs);
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
}
