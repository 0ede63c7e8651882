/** Reads the configuration from the environment. Reports all faults in one message. */
import {
  accessSettings,
  isAddressRange,
  isOrigin,
  readOidc,
  readPublicOrigin,
  type OidcConfig,
} from './access-settings.ts';
import { readConsoleLinks, type ConsoleLink } from './console-links.ts';
import { readAudit, type AuditConfig } from './audit-settings.ts';
import { readCurrency } from './currency-setting.ts';
import { findDatabaseUrl } from './database-url.ts';
import { nodeUrls } from './node-urls.ts';
import { readLedger, type LedgerConfig } from './ledger-settings.ts';
import { settings } from './setting-readers.ts';
import { withoutServiceVariables } from './service-variables.ts';
import { readTracing, type TracingConfig } from './tracing-settings.ts';

export interface Config {
  database: NodesConfig;
  /** The admin port is that of metrics and health, if they have one of their own. */
  http: { host: string; port: number; adminPort: number | undefined };
  auth: 'key' | 'none';
  /** Requests per minute and key; 0 switches a limit off. */
  rate: { reads: number; searches: number };
  /** Requests in progress: of each kind, and at most how many of one key. */
  concurrency: { reads: number; searches: number; perKey: number };
  /** The memory of the process in megabytes. Page maps get what the rest leaves of it. */
  memoryMb: number;
  /** Whether counts of common searches are precomputed. */
  warmUp: boolean;
  /** The origin at which people reach this server, such as https://customers.example. */
  publicOrigin: string | undefined;
  /** Undefined where people do not sign in with a provider. */
  oidc?: OidcConfig | undefined;
  /** Other origins that may serve the console, the currency it shows, and its links to other systems. */
  console: { origins: string[]; currency: string; links: ConsoleLink[] };
  /** Proxies whose X-Forwarded-For is trusted; addresses or ranges. */
  trustedProxies: string[];
  logLevel: LogLevel;
  /** Undefined while reads are not audited. */
  audit?: AuditConfig | undefined;
  /** Has the key by which erased people are recognised. */
  secretFile?: string | undefined;
  ledger?: LedgerConfig | undefined;
  /** Undefined while tracing is off. */
  tracing?: TracingConfig | undefined;
}

export interface DatabaseConfig {
  url: string;
  /** Where the URL came from, if it was a file: it may have another login later. */
  urlFile?: string | undefined;
  /** Connections for each kind of work. Kinds never wait for each other. */
  connections: {
    lookups: number;
    lists: number;
    searches: number;
    scans: number;
    /** In addition to the others: `rowsConnections`. */
    rows?: number;
  };
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

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * How long each layer waits, in milliseconds. Each outlasts the one inside it, so that a delay is
 * reported by the layer that knows its cause. A test checks this nesting.
 */
export const timeouts = {
  /** How long a request may wait to be admitted. A refusal has to be quick. */
  admission: 25,
  slot: 300,
  connect: 1_000,
  /** A healthy node answers a probe in a few milliseconds. */
  probe: 300,
  lookup: 500,
  /** How long the primary may take to record answers before they go to the spool. */
  audit: 600,
  /** How long a migration waits for a lock: reads of the table wait behind it, and for no longer than for a slot. */
  migrationLock: 200,
  list: 5_000,
  /** Reading what a search means, and its first rows, which help only if they come before its count. */
  rows: 5_000,
  rowsSlot: 1_500,
  /**
   * A scan takes as long as the table is large, and is cancelled when no request waits for it any more.
   * It may wait `scanLock` for a lock. A request may wait `countSlot` for the turn of its count: its rows do not.
   */
  scan: 600_000,
  scanLock: 5_000,
  countSlot: 7_000,
  /** The client-side timer fires this much after the server-side statement_timeout. */
  cancelAfter: 500,
  /** How long a query that nobody waits for may take to end once it is cancelled; then its connection is closed. */
  aborted: 2_000,
  handler: 8_000,
  /** How long a client may take to read a response, and be idle while many others are. */
  response: 14_000,
  idleAmongMany: 10_000,
  headers: 5_000,
  request: 10_000,
  keepAlive: 65_000,
  /** The time balancers get to notice that an instance is stopping, and the time it then has to finish. */
  turnAway: 1_000,
  lastLook: 300,
  drain: 8_500,
  /** How long the collector of traces may take to accept a batch, and the last ones before the exit. */
  export: 5_000,
  lastExport: 1_000,
} as const;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

const known = [
  'CLIENTELE_ADMIN_PORT',
  'CLIENTELE_AUDIT',
  'CLIENTELE_AUDIT_SPOOL',
  'CLIENTELE_AUTH',
  'CLIENTELE_RATE_READS',
  'CLIENTELE_RATE_SEARCHES',
  'CLIENTELE_CONCURRENCY',
  'CLIENTELE_CONNECTIONS',
  'CLIENTELE_READ_FROM',
  'CLIENTELE_MAX_LAG_SECONDS',
  'CLIENTELE_MEMORY_MB',
  'CLIENTELE_WARM_UP',
  'CLIENTELE_CONSOLE_LINKS',
  'CLIENTELE_CONSOLE_ORIGINS',
  ...accessSettings,
  'CLIENTELE_CURRENCY',
  'CLIENTELE_LEDGER_FILE',
  'CLIENTELE_SECRET_FILE',
  'CLIENTELE_TRUSTED_PROXIES',
];

/** Requests of each kind that an instance works on at a time, for each node. */
const mostInProgress = 32;
/** With many more searches than connections for them, most would wait in vain and be refused late. */
const searchesPerConnection = 4;

/** Connections for the first rows of searches, so that they never wait for a count. */
export const leastRows = 3;
export const rowsConnections = (connections: number): number =>
  Math.max(leastRows, Math.floor(connections / 4));

type Environment = Record<string, string | undefined>;

export function readConfig(environment: Environment): Config {
  const env = withoutServiceVariables(environment);
  const faults: string[] = [];
  const { integer, choice, list } = settings(env, faults);
  for (const name of Object.keys(env)) {
    if (name.startsWith('CLIENTELE_') && !known.includes(name)) {
      faults.push(`${name} is not a setting; the settings are ${known.join(', ')}`);
    }
  }

  const connections = integer('CLIENTELE_CONNECTIONS', 12, 4, 300);
  // A scan takes two cores of the database, so only large installations get a second one.
  const scans = Math.max(1, Math.floor(connections / 12));
  const third = Math.floor((connections - scans) / 3);
  const { url, fault } = findDatabaseUrl(env);
  if (fault !== undefined) faults.push(fault);
  const nodes = nodeUrls(url)?.length ?? 1;
  const perKey = integer('CLIENTELE_CONCURRENCY', 10, 0, mostInProgress) || Infinity;
  const config: Config = {
    database: {
      url,
      urlFile: env['DATABASE_URL_FILE'] || undefined,
      connections: {
        lookups: third,
        lists: connections - scans - 2 * third,
        searches: third,
        scans,
        rows: rowsConnections(connections),
      },
      readFrom: choice('CLIENTELE_READ_FROM', 'replicas', ['replicas', 'all']),
      maxLagSeconds: integer('CLIENTELE_MAX_LAG_SECONDS', 10, 1, 3_600),
      // One is left for others, however long these take.
      searchesPerKey: perKey === Infinity ? third : Math.max(1, third - 1),
    },
    http: {
      host: env['HOST'] || '127.0.0.1',
      port: integer('PORT', 8080, 0, 65_535),
      adminPort: integer('CLIENTELE_ADMIN_PORT', 0, 1, 65_535) || undefined,
    },
    auth: choice('CLIENTELE_AUTH', 'key', ['key', 'none']),
    rate: {
      reads: integer('CLIENTELE_RATE_READS', 3_000, 0, 100_000_000),
      searches: integer('CLIENTELE_RATE_SEARCHES', 600, 0, 100_000_000),
    },
    concurrency: {
      reads: mostInProgress * nodes,
      // A slow node holds the places of requests that another one will answer.
      searches:
        nodes > 1
          ? mostInProgress * nodes
          : Math.min(mostInProgress, searchesPerConnection * third),
      perKey,
    },
    warmUp: choice('CLIENTELE_WARM_UP', 'on', ['on', 'off']) === 'on',
    memoryMb: integer('CLIENTELE_MEMORY_MB', 256, 200, 1_000_000),
    publicOrigin: readPublicOrigin(env, faults),
    oidc: readOidc(env, faults),
    console: {
      origins: list('CLIENTELE_CONSOLE_ORIGINS', isOrigin, 'origins like https://console.example'),
      currency: readCurrency(env, faults),
      links: readConsoleLinks(env, faults),
    },
    trustedProxies: list(
      'CLIENTELE_TRUSTED_PROXIES',
      isAddressRange,
      'addresses or ranges like 10.0.0.0/8',
    ),
    logLevel: choice('LOG_LEVEL', 'info', logLevels),
    audit: readAudit(env, faults),
    secretFile: env['CLIENTELE_SECRET_FILE'] || undefined,
    ledger: readLedger(env, faults),
    tracing: readTracing(env, faults),
  };
  if (config.http.adminPort === config.http.port) {
    faults.push('CLIENTELE_ADMIN_PORT must differ from PORT');
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
