import { vi } from 'vitest';
import type { TestDatabase } from '@clientele/sandbox/testing';

/** A search that runs until the test releases it. Each has its own text, because equal searches share one query. */
export const heldSearch = (which: number): string => `/v3/customers?search=held${which}`;

export interface Hold {
  /** Resolves when this many held searches are running. */
  running(count: number): Promise<void>;
  /** Lets the running ones finish. */
  release(): Promise<void>;
}

/** From now on, searches for `held…` wait for a lock that the test holds. */
export async function holdSearches(database: TestDatabase): Promise<Hold> {
  const client = await database.connect();
  await client.query(`
    alter function clientele.search_patterns(text) rename to quick_search_patterns;
    create function clientele.search_patterns(search text) returns jsonb language plpgsql as $$
    begin
      if search like 'held%' then
        perform pg_advisory_xact_lock_shared(1);
      end if;
      return clientele.quick_search_patterns(search);
    end
    $$;
    select pg_advisory_lock(1)`);
  return {
    async running(count) {
      await vi.waitFor(
        async () => {
          const held = (await busyBackends(database)).filter((backend) => backend.onLock);
          if (held.length !== count) throw new Error(`${held.length} held searches, not ${count}`);
        },
        { timeout: 300_000, interval: 20 },
      );
    },
    async release() {
      await client.query('select pg_advisory_unlock(1)');
      await client.query('select pg_advisory_lock(1)'); // For later searches; waits until the released ones are done.
    },
  };
}

/** The service's connections that are running a query. */
export async function busyBackends(database: TestDatabase) {
  return database.query<{ lane: string; onLock: boolean; seconds: number }>(
    `select application_name as lane, wait_event_type = 'Lock' as "onLock",
       extract(epoch from clock_timestamp() - query_start)::float8 as seconds
     from pg_stat_activity
     where datname = current_database() and application_name like 'clientele %' and state = 'active'`,
  );
}
