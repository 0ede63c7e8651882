/**
 * What metrics ask the database for, at most once in a while: however often they are scraped, they cost it the
 * same, and nothing where nobody scrapes.
 */
import type { Queries, Statement } from '@clientele/directory';

/** All who ask within `forMs` get the same result, or the same error. */
export function atMostEvery<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { at: number; result: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!latest || now >= latest.at + forMs) {
      latest = { at: now, result: read() };
      latest.result.catch(() => undefined);
    }
    return latest.result;
  };
}

export interface DatabaseFacts {
  /** About how many entries the change log has, and the size of its table and indexes. */
  logEntries: number;
  logBytes: number;
  /** How long the oldest open transaction that can be seen has been open, in seconds. */
  oldestTransaction: number;
  /** When customers were last imported, in seconds since 1970. */
  lastImport: number | null;
  /** How far behind the primary this server is, in seconds. */
  lag: number;
}

interface FactsRow extends Omit<DatabaseFacts, 'oldestTransaction'> {
  /** Null on a standby, whose snapshots do not say which transactions are running. */
  oldestXid: string | null;
  nextXid: string;
  openSeconds: number | null;
}

/**
 * Other logins cannot see since when a transaction has been open, unless they may read all statistics, but
 * everybody sees which transaction is the oldest that writes. It has been open at least as long as it is known.
 * If no later one has ended, it holds nobody back, and looks like one that has not begun.
 */
export class FactsReader {
  readonly #database: Queries;
  #oldest: { xid: string; since: number } | undefined;

  constructor(database: Queries) {
    this.#database = database;
  }

  async read(): Promise<DatabaseFacts> {
    const [row] = await this.#database.query<FactsRow>(factsStatement, []);
    const { oldestXid, nextXid, openSeconds, ...facts } = row!;
    const now = performance.now();
    if (oldestXid === null || oldestXid === nextXid) this.#oldest = undefined;
    else if (this.#oldest?.xid !== oldestXid) this.#oldest = { xid: oldestXid, since: now };
    const known = this.#oldest ? (now - this.#oldest.since) / 1_000 : 0;
    return { ...facts, oldestTransaction: Math.max(known, openSeconds ?? 0) };
  }
}

/** Entries are counted as `clientele.trim_changes` does, by their numbers. Every part is a few rows by an index. */
const factsStatement: Statement = {
  name: 'facts',
  text: `
    select
      coalesce(
        (select c.id from clientele.changes as c order by c.xid desc limit 1)
        - (
          select c.id from clientele.changes as c, clientele.changes_horizon as h
          where c.xid >= h.xid order by c.xid limit 1
        ) + 1, 0)::float8 as "logEntries",
      pg_total_relation_size('clientele.changes')::float8 as "logBytes",
      case when not r.standby then pg_snapshot_xmin(pg_current_snapshot())::text end as "oldestXid",
      pg_snapshot_xmax(pg_current_snapshot())::text as "nextXid",
      extract(epoch from clock_timestamp() - least(
        (
          select min(a.xact_start) from pg_stat_activity as a
          where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
        ),
        (select min(p.prepared) from pg_prepared_xacts as p)
      ))::float8 as "openSeconds",
      (
        select extract(epoch from max(i.saved_at))
        from (select i.saved_at from clientele.imports as i order by i.id desc limit 20) as i
      )::float8 as "lastImport",
      coalesce(
        case when r.standby and pg_last_wal_receive_lsn() is distinct from pg_last_wal_replay_lsn() then
          extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
        end, 0)::float8 as lag
    from (select pg_is_in_recovery() as standby) as r`,
};
