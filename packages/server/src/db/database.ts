/** The database as the service uses it: one lane for each kind of work, each with plans of its kind. */
import { timeouts, type DatabaseConfig } from '../config.ts';
import { Lane } from './lane.ts';

export interface Database {
  /** One customer, one key: a primary key each. */
  lookups: Lane;
  /** Pages whose place is known: a few rows by the index of the list's order. */
  lists: Lane;
  /** Counting the matches of a search by the trigram index. */
  searches: Lane;
  /** Counting them by reading the whole table: heavy, hence few at a time. */
  scans: Lane;
  /** The one thing that is written: that a session was signed out. */
  signOuts: Lane;
  lanes: Lane[];
  /** Opens the connections. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

export function openDatabase({ url, connections }: DatabaseConfig): Database {
  const lookups = new Lane({
    name: 'lookups',
    url,
    connections: connections.lookups,
    statementTimeout: timeouts.lookup,
    settings: { plan_cache_mode: 'force_generic_plan' },
  });
  const lists = new Lane({
    name: 'lists',
    url,
    connections: connections.lists,
    statementTimeout: timeouts.list,
    // The index of the list's order is right for every page, whatever the planner believes.
    settings: {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
      // To start a worker takes longer than to read a page.
      max_parallel_workers_per_gather: '0',
    },
  });
  const searches = new Lane({
    name: 'searches',
    url,
    connections: connections.searches,
    statementTimeout: timeouts.list,
    // A generic plan would not know the text, and may ignore the trigram index.
    settings: { plan_cache_mode: 'force_custom_plan', enable_seqscan: 'off' },
  });
  const scans = new Lane({
    name: 'scans',
    url,
    connections: connections.scans,
    statementTimeout: timeouts.scan,
    slotWait: timeouts.scanSlot,
    settings: {
      plan_cache_mode: 'force_custom_plan',
      enable_bitmapscan: 'off',
      parallel_setup_cost: '0',
      parallel_tuple_cost: '0',
      lock_timeout: String(timeouts.scanLock),
    },
  });
  const signOuts = new Lane({
    name: 'signOuts',
    url,
    connections: 1,
    statementTimeout: timeouts.lookup,
    settings: { default_transaction_read_only: 'off' },
  });
  const lanes = [lookups, lists, searches, scans, signOuts];
  return {
    lookups,
    lists,
    searches,
    scans,
    signOuts,
    lanes,
    async warmUp() {
      await Promise.all(lanes.map((lane) => lane.warmUp()));
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
