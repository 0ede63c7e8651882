import { ConfigError, timeouts } from '@clientele/directory';
import { readConfig } from '@clientele/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const url = 'postgres://clientele:s3cret-w0rd@db.internal.example:5432/clientele';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { faults, message } = error as ConfigError;
    for (const fault of faults) expect(message).toContain(fault);
    return faults;
  }
  return [];
}

test('only DATABASE_URL is required, and the defaults are safe', () => {
  expect(readConfig({ DATABASE_URL: url })).toEqual({
    database: {
      url,
      connections: { lookups: 3, lists: 5, searches: 3, scans: 1, rows: 3 },
      readFrom: 'replicas',
      maxLagSeconds: 10,
      searchesPerKey: 2,
    },
    http: { host: '127.0.0.1', port: 8080 },
    auth: 'key',
    rate: { reads: 3_000, searches: 600 },
    concurrency: { reads: 32, searches: 24, perKey: 10 },
    console: { origins: [], currency: 'EUR', links: [] },
    trustedProxies: [],
    memoryMb: 256,
    warmUp: true,
    logLevel: 'info',
    audit: { spool: undefined, secretFile: undefined },
    timeouts,
  });
});

test('every setting is read', () => {
  expect(
    readConfig({
      DATABASE_URL: url,
      HOST: '0.0.0.0',
      PORT: '0',
      CLIENTELE_ADMIN_PORT: '9090',
      LOG_LEVEL: 'silent',
      CLIENTELE_AUTH: 'none',
      CLIENTELE_CONNECTIONS: '24',
      CLIENTELE_READ_FROM: 'all',
      CLIENTELE_MAX_LAG_SECONDS: '30',
      CLIENTELE_RATE_READS: '0',
      CLIENTELE_RATE_SEARCHES: '7',
      CLIENTELE_CONCURRENCY: '4',
      CLIENTELE_MEMORY_MB: '512',
      CLIENTELE_WARM_UP: 'off',
      CLIENTELE_CONSOLE_ORIGINS: 'https://console.example',
      CLIENTELE_CONSOLE_LINKS: 'Orders=https://shop.example/{uuid}',
      CLIENTELE_CURRENCY: 'JPY',
      CLIENTELE_TRUSTED_PROXIES: '10.0.0.0/8',
      CLIENTELE_AUDIT: 'on',
      CLIENTELE_AUDIT_SPOOL: '/var/lib/clientele',
      CLIENTELE_SECRET_FILE: '/etc/clientele/secret',
      CLIENTELE_LEDGER_FILE: '/var/lib/clientele/ledger',
    }),
  ).toEqual({
    database: {
      url,
      connections: { lookups: 7, lists: 8, searches: 7, scans: 2, rows: 6 },
      readFrom: 'all',
      maxLagSeconds: 30,
      searchesPerKey: 6,
    },
    http: { host: '0.0.0.0', port: 0, adminPort: 9090 },
    auth: 'none',
    rate: { reads: 0, searches: 7 },
    concurrency: { reads: 32, searches: 32, perKey: 4 },
    console: {
      origins: ['https://console.example'],
      currency: 'JPY',
      links: [{ label: 'Orders', url: 'https://shop.example/{uuid}' }],
    },
    trustedProxies: ['10.0.0.0/8'],
    memoryMb: 512,
    warmUp: false,
    secretFile: '/etc/clientele/secret',
    logLevel: 'silent',
    audit: { spool: '/var/lib/clientele', secretFile: '/etc/clientele/secret' },
    ledger: { file: '/var/lib/clientele/ledger', secretFile: '/etc/clientele/secret' },
    timeouts,
  });
});

test.each([
  ['4', 4, 2],
  ['0', Infinity, 3],
])('CLIENTELE_CONCURRENCY=%s lets a key have %d requests in progress', (text, perKey, searches) => {
  const config = readConfig({ DATABASE_URL: url, CLIENTELE_CONCURRENCY: text });
  expect(config.concurrency.perKey).toBe(perKey);
  expect(config.database.searchesPerKey, 'connections').toBe(searches);
});

test('an empty setting counts as not set', () => {
  expect(readConfig({ DATABASE_URL: url, PORT: '', CLIENTELE_AUTH: '', LOG_LEVEL: '' })).toEqual(
    readConfig({ DATABASE_URL: url }),
  );
});

test('all errors are reported together, each with the name of its setting', () => {
  const faults = faultsOf({
    DATABASE_URL: 'mysql://root@db.example',
    PORT: '80a',
    LOG_LEVEL: 'loud',
    CLIENTELE_AUTH: 'off',
    CLIENTELE_CONNECTIONS: '2',
    CLIENTELE_RATE_READS: '-1',
    CLIENTELE_RATE_SEARCHES: '1.5',
    CLIENTELE_AUHT: 'none',
  });
  expect(faults).toHaveLength(8);
  expect(new Set(faults.map((fault) => fault.split(' ')[0]))).toEqual(
    new Set([
      'CLIENTELE_AUHT',
      'CLIENTELE_AUTH',
      'CLIENTELE_CONNECTIONS',
      'CLIENTELE_RATE_READS',
      'CLIENTELE_RATE_SEARCHES',
      'DATABASE_URL',
      'LOG_LEVEL',
      'PORT',
    ]),
  );
});

test('the admin port is another port', () => {
  expect(faultsOf({ DATABASE_URL: url, CLIENTELE_ADMIN_PORT: '8080' })).toEqual([
    'CLIENTELE_ADMIN_PORT must differ from PORT',
  ]);
});

test('a ledger needs the secret that authenticates it', () => {
  expect(faultsOf({ DATABASE_URL: url, CLIENTELE_LEDGER_FILE: '/ledger' })).toEqual([
    'CLIENTELE_LEDGER_FILE needs CLIENTELE_SECRET_FILE. Create one with: clientele secret create',
  ]);
});

describe('numbers are plain decimals within their bounds', () => {
  test.each([
    '-1',
    '+1',
    '65536',
    '1e3',
    '0x50',
    ' 80',
    '80 ',
    '8_0',
    '٨٠',
    'NaN',
    '1.0',
    '9'.repeat(30),
  ])('PORT=%j is rejected', (port) => {
    expect(faultsOf({ DATABASE_URL: url, PORT: port })).toEqual([
      'PORT must be a whole number from 0 to 65535',
    ]);
  });
});

test('errors never contain a value: it may be a secret in the wrong variable', () => {
  const names = [
    'DATABASE_URL',
    'DATABASE_URL_FILE',
    'PORT',
    'LOG_LEVEL',
    'CLIENTELE_AUTH',
    'CLIENTELE_CONNECTIONS',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...names, 'CLIENTELE_RATE_READS', 'CLIENTELE_UNKNOWN'),
      fc.stringMatching(/^[!-~]{8,40}$/),
      (name, secret) => {
        const others = name === 'DATABASE_URL_FILE' ? {} : { DATABASE_URL: url };
        const faults = faultsOf({ ...others, [name]: `~${secret}` });
        expect(faults).toHaveLength(1);
        expect(faults[0]).not.toContain(secret);
        expect(faults[0]).not.toContain('s3cret');
      },
    ),
    { numRuns: 1_000 },
  );
});

test('connections are divided among four lanes, and each gets at least one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 300 }), (count) => {
      const env = { DATABASE_URL: url, CLIENTELE_CONNECTIONS: String(count) };
      const { lookups, lists, searches, scans, rows } = readConfig(env).database.connections;
      expect(lookups + lists + searches + scans).toBe(count);
      expect(Math.min(lookups, lists, searches, scans)).toBeGreaterThanOrEqual(1);
      expect(rows, 'in addition, and two for one key').toBeGreaterThanOrEqual(3);
    }),
  );
});

describe('each timeout is longer than the one inside it', () => {
  const { slot, connect, cancelAfter, handler, drain, turnAway, lastLook, lastExport } = timeouts;
  // A load balancer waits this long for a response, an orchestrator for the exit after SIGTERM.
  const balancer = 60_000;
  const orchestrator = 10_000;

  test.each(['lookup', 'list'] as const)(
    '%s: statement, cancel, giving up the connection, handler, load balancer, keep-alive',
    (kind) => {
      const statement = timeouts[kind];
      const timer = statement + cancelAfter;
      const lastResort = timer + cancelAfter;
      const inside = [statement, timer, lastResort, slot + connect + lastResort, handler];
      const outside = [balancer, timeouts.keepAlive];
      expect([...inside, ...outside]).toEqual([...inside, ...outside].toSorted((a, b) => a - b));
      expect(new Set([...inside, ...outside]).size).toBe(7);
    },
  );

  test('a count that waits for its turn, the request', () => {
    expect(timeouts.rows + timeouts.rowsSlot).toBeLessThan(timeouts.countSlot);
    expect(timeouts.countSlot).toBeLessThan(handler);
  });

  test('a migration that waits for a lock, a request behind it', () => {
    expect(timeouts.migrationLock).toBeLessThan(Math.min(slot, timeouts.lookup));
  });

  test('headers, whole request', () => {
    expect(timeouts.headers).toBeLessThan(timeouts.request);
  });

  test('a request that arrives just before the shutdown is answered, and the shutdown is in time', () => {
    expect(handler).toBeLessThan(drain);
    expect(turnAway + lastLook + drain).toBeLessThan(orchestrator);
    // Only traces are at stake then. docs/operations.md asks for this long.
    expect(turnAway + lastLook + drain + lastExport).toBeLessThan(12_000);
  });
});
