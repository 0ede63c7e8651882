/** The connections to one node: a lane for each kind of work, with the planner settings it needs. */
import { timeouts, type DatabaseConfig } from '../config.ts';
import { Lane } from './lane.ts';

export interface Database {
  /** Customers, keys and sessions by primary key. */
  lookups: Lane;
  /** Pages whose place is known: a few rows by the index of the list's order. */
  lists: Lane;
  /** Counting the matches of a search by the trigram index. */
  searches: Lane;
  /** Counting matches by reading the whole table: expensive, so few at a time. */
  scans: Lane;
  /** The only lane that writes: sessions that were signed out, and stored maps. */
  writes: Lane;
  lanes: Lane[];
  /** Opens the connections. */
  warmUp(): Promise<void>;
  /** While it is cut, every query fails at once, and nothing connects. */
  cut(cut: boolean): void;
  close(): Promise<void>;
}

/** With `keepOpen`, idle connections are kept: opening many at once takes longer than requests may wait. */
export function openDatabase(config: DatabaseConfig, keepOpen?: boolean): Database {
  const { url, connections, searchesPerKey = Infinity } = config;
  const lookups = new Lane({
    name: 'lookups',
    url,
    keepOpen,
    connections: connections.lookups,
    statementTimeout: timeouts.lookup,
    settings: { plan_cache_mode: 'force_generic_plan' },
  });
  const lists = new Lane({
    name: 'lists',
    url,
    keepOpen,
    connections: connections.lists,
    statementTimeout: timeouts.list,
    // The index of the list's order is right for every page, whatever the planner estimates.
    settings: {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
      // Starting a worker takes longer than reading a page.
      max_parallel_workers_per_gather: '0',
    },
  });
  const searches = new Lane({
    name: 'searches',
    url,
    keepOpen,
    connections: connections.searches,
    limits: { perKey: searchesPerKey },
    statementTimeout: timeouts.list,
    // A generic plan does not know the text and may ignore the trigram index.
    settings: { plan_cache_mode: 'force_custom_plan', enable_seqscan: 'off' },
  });
  const scans = new Lane({
    name: 'scans',
    url,
    keepOpen,
    connections: connections.scans,
    statementTimeout: timeouts.scan,
    slotWait: timeouts.scanSlot,
    limits: { waiting: 2 * connections.scans, waitingPerKey: 1 },
    settings: {
      plan_cache_mode: 'force_custom_plan',
      // When a bitmap outgrows work_mem, PostgreSQL has to check every row of its pages again.
      work_mem: '64MB',
      parallel_setup_cost: '0',
      parallel_tuple_cost: '0',
      lock_timeout: String(timeouts.scanLock),
    },
  });
  const writes = new Lane({
    name: 'writes',
    url,
    keepOpen,
    connections: 1,
    statementTimeout: timeouts.lookup,
    settings: { default_transaction_read_only: 'off' },
  });
  const lanes = [lookups, lists, searches, scans, writes];
  return {
    lookups,
    lists,
    searches,
    scans,
    writes,
    lanes,
    async warmUp() {
      await Promise.all(lanes.map((lane) => lane.warmUp()));
    },
    cut(cut) {
      for (const lane of lanes) lane.cut(cut);
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
