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
import {
  type AuditConfig,
  ConfigError,
  type HttpConfig,
  type LedgerConfig,
  type NodesConfig,
  nodeUrls,
  readAuditConfig,
  readDatabaseConfig,
  readHttpConfig,
  readLedgerConfig,
  settingReaders,
  timeouts,
  type Timeouts,
  withoutServiceVariables,
} from '@clientele/directory';
import { readCurrency } from './currency-setting.ts';
import { readTracing, type TracingConfig } from './tracing-settings.ts';

export interface Config {
  database: NodesConfig;
  http: HttpConfig;
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
  timeouts: Timeouts;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

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
/** With many more searches than connections for them and their rows, most would wait in vain and be refused late. */
const searchesPerConnection = 4;

type Environment = Record<string, string | undefined>;

/** No variable changes the time limits: they are nested, and promised. */
export function readConfig(environment: Environment, limits: Timeouts = timeouts): Config {
  const env = withoutServiceVariables(environment);
  const faults: string[] = [];
  const { integer, choice, list } = settingReaders(env, faults);
  for (const name of Object.keys(env)) {
    if (name.startsWith('CLIENTELE_') && !known.includes(name)) {
      faults.push(`${name} is not a setting; the settings are ${known.join(', ')}`);
    }
  }

  const database = readDatabaseConfig(env, faults);
  const nodes = nodeUrls(database.url)?.length ?? 1;
  const { searches, rows = 0 } = database.connections;
  const perKey = integer('CLIENTELE_CONCURRENCY', 10, 0, mostInProgress) || Infinity;
  const config: Config = {
    database: {
      ...database,
      // One is left for others, however long these take.
      searchesPerKey: perKey === Infinity ? searches : Math.max(1, searches - 1),
    },
    http: readHttpConfig(env, faults),
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
          : Math.min(mostInProgress, searchesPerConnection * (searches + rows)),
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
    audit: readAuditConfig(env, faults),
    secretFile: env['CLIENTELE_SECRET_FILE'] || undefined,
    ledger: readLedgerConfig(env, faults),
    tracing: readTracing(env, faults),
    timeouts: limits,
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
