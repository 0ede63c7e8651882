/** The settings of the database: where it is, and how many connections it gets. */
import { findDatabaseUrl } from './database-url.ts';
import { settingReaders } from './setting-readers.ts';

/** Connections for each kind of work. Kinds never wait for each other. */
export interface Connections {
  lookups: number;
  lists: number;
  searches: number;
  scans: number;
  /** In addition to the others: `rowsConnections`. */
  rows?: number;
}

export interface DatabaseConfig {
  url: string;
  /** Where the URL came from, if it was a file: it may have another login later. */
  urlFile?: string | undefined;
  connections: Connections;
  /** Connections for searches that one access key may use at a time. */
  searchesPerKey?: number;
}

/** The same for every node that the URL names. */
export interface NodesConfig extends DatabaseConfig {
  /** Whether the primary answers reads too while a replica can. */
  readFrom: 'replicas' | 'all';
  /** A replica whose data is older answers nothing while another node can. */
  maxLagSeconds: number;
}

/** Connections for the first rows of searches, so that they never wait for a count. */
export const leastRows = 3;
const rowsConnections = (connections: number): number =>
  Math.max(leastRows, Math.floor(connections / 4));

type Environment = Record<string, string | undefined>;

export function readLanes(env: Environment, faults: string[]): Connections {
  const connections = settingReaders(env, faults).integer('CLIENTELE_CONNECTIONS', 12, 4, 300);
  // A scan takes two cores of the database, so only large installations get a second one.
  const scans = Math.max(1, Math.floor(connections / 12));
  const third = Math.floor((connections - scans) / 3);
  return {
    lookups: third,
    lists: connections - scans - 2 * third,
    searches: third,
    scans,
    rows: rowsConnections(connections),
  };
}

export function readDatabaseConfig(env: Environment, faults: string[]): NodesConfig {
  const { choice, integer } = settingReaders(env, faults);
  const connections = readLanes(env, faults);
  const { url, fault } = findDatabaseUrl(env);
  if (fault !== undefined) faults.push(fault);
  return {
    url,
    urlFile: env['DATABASE_URL_FILE'] || undefined,
    connections,
    readFrom: choice('CLIENTELE_READ_FROM', 'replicas', ['replicas', 'all']),
    maxLagSeconds: integer('CLIENTELE_MAX_LAG_SECONDS', 10, 1, 3_600),
  };
}
