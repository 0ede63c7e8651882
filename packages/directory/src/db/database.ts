/** The connections to one node: a lane for each kind of work, with the planner settings it needs. */
import { leastRows, type DatabaseConfig } from '../settings/database-settings.ts';
import type { Timeouts } from '../settings/timeouts.ts';
import type { LaneOptions } from './lane-options.ts';
import { Lane } from './lane.ts';
import type { Login } from './login.ts';
import { maskedReaderRole, readerRole } from './session.ts';
import { keepAlives } from './session-settings.ts';

/** The lanes through which customers are read, all with one role. */
export interface ReadLanes {
  /** Customers, keys and sessions by primary key. */
  lookups: Lane;
  /** Pages whose place is known: a few rows by the index of the list's order. */
  lists: Lane;
  /** What a search means, and the first rows of one that nobody has counted. */
  rows: Lane;
  /** Counting the matches of a search by the trigram index. */
  searches: Lane;
  /** Counting matches by reading the whole table: expensive, so few at a time. */
  scans: Lane;
}

/** Counts that may wait: a room full of people who type, with one key or with many. More would wait in vain. */
const mostWaiting = { waiting: 64, waitingPerKey: 32 };

export type ConnectionsConfig = DatabaseConfig & {
  login?: Login | undefined;
  timeouts: Timeouts;
};

export interface Database extends ReadLanes {
  /** The same for callers who may not see contact details: their role cannot read them. */
  masked: ReadLanes;
  /** Signed-out sessions, uses of keys, records shown, and stored maps. */
  writes: Lane;
  /** What takes long on the primary and no request waits for. Connected only while there is something to do. */
  upkeep: Lane;
  /** Who saw which customers: every answer waits for it, so it waits for nothing else. */
  audit: Lane;
  lanes: Lane[];
  /** Opens the connections. */
  warmUp(): Promise<void>;
  /** While it is cut, every query fails at once, and nothing connects. */
  cut(cut: boolean): void;
  close(): Promise<void>;
}

/** With `keepOpen`, idle connections are kept: opening many at once takes longer than requests may wait. */
export function openDatabase(config: ConnectionsConfig, keepOpen?: boolean): Database {
  const read = openReadLanes(config, keepOpen, { role: readerRole });
  // Opened by the first request that needs them.
  const masked = openReadLanes(config, keepOpen, { role: maskedReaderRole, shared: read });
  const { url, login, timeouts } = config;
  const writing = {
    url,
    login,
    timeouts,
    keepOpen,
    connections: 1,
    settings: { default_transaction_read_only: 'off' },
  };
  const writes = new Lane({ ...writing, name: 'writes', statementTimeout: timeouts.lookup });
  const audit = new Lane({ ...writing, name: 'audit', statementTimeout: timeouts.audit });
  const upkeep = new Lane({
    ...{ ...writing, name: 'upkeep', statementTimeout: timeouts.scan },
    keepOpen: false,
  });
  const lanes = [...Object.values(read), writes, audit];
  const all = [...lanes, upkeep, ...Object.values(masked)];
  return {
    ...read,
    masked,
    writes,
    upkeep,
    audit,
    lanes,
    async warmUp() {
      await Promise.all(lanes.map((lane) => lane.warmUp()));
    },
    cut(cut) {
      for (const lane of all) lane.cut(cut);
    },
    async close() {
      await Promise.all(all.map((lane) => lane.close()));
    },
  };
}

/** The connections that an instance may have open to one node: those of its lanes, and of the three that write. */
export const connectionsNeeded = (
  connections: DatabaseConfig['connections'],
  masked: boolean,
): number => (masked ? 2 : 1) * Object.values(connections).reduce((sum, each) => sum + each, 0) + 3;

/** With `shared`, the lanes have connections of their own, and the limits of those. */
function openReadLanes(
  { url, login, timeouts, connections, searchesPerKey = Infinity }: ConnectionsConfig,
  keepOpen: boolean | undefined,
  { role, shared }: { role: string; shared?: ReadLanes },
): ReadLanes {
  const open = (
    name: keyof ReadLanes,
    options: Omit<LaneOptions, 'name' | 'url' | 'timeouts'>,
  ): Lane =>
    new Lane({ name, role, slotsOf: shared?.[name], url, login, timeouts, keepOpen, ...options });
  const lookups = open('lookups', {
    connections: connections.lookups,
    statementTimeout: timeouts.lookup,
    settings: { plan_cache_mode: 'force_generic_plan' },
  });
  const lists = open('lists', {
    connections: connections.lists,
    statementTimeout: timeouts.list,
    // The index of the list's order is right for every page, whatever the planner estimates.
    settings: {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
      // So is that of another order, with one customer after the other.
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      // Starting a worker takes longer than reading a page.
      max_parallel_workers_per_gather: '0',
    },
  });
  const forRows = connections.rows ?? leastRows;
  const rows = open('rows', {
    connections: forRows,
    // As with searches, one is left for others.
    ...(searchesPerKey !== Infinity && { limits: { perKey: Math.max(1, forRows - 1) } }),
    statementTimeout: timeouts.rows,
    slotWait: timeouts.rowsSlot,
    settings: {
      plan_cache_mode: 'force_custom_plan',
      enable_seqscan: 'off',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      max_parallel_workers_per_gather: '0',
    },
  });
  const searches = open('searches', {
    connections: connections.searches,
    limits: { ...mostWaiting, perKey: searchesPerKey },
    statementTimeout: timeouts.list,
    slotWait: timeouts.countSlot,
    // A generic plan does not know the text and may ignore the trigram index.
    settings: { plan_cache_mode: 'force_custom_plan', enable_seqscan: 'off' },
  });
  const scans = open('scans', {
    connections: connections.scans,
    statementTimeout: timeouts.scan,
    slotWait: timeouts.countSlot,
    limits: mostWaiting,
    settings: {
      plan_cache_mode: 'force_custom_plan',
      // When a bitmap outgrows work_mem, PostgreSQL has to check every row of its pages again.
      work_mem: '64MB',
      enable_seqscan: 'on',
      parallel_setup_cost: '0',
      parallel_tuple_cost: '0',
      lock_timeout: String(timeouts.scanLock),
      ...keepAlives,
    },
  });
  return { lookups, lists, rows, searches, scans };
}
