import { defineConfig } from 'vitest/config';

const postgresSetup = (major: 15 | 18) => `../sandbox/src/testing/postgres-${major}.ts`;

/** A package whose tests use a real PostgreSQL, of the given version if it is installed. */
const onPostgres = (
  name: string,
  folder: string,
  major: 15 | 18,
  exclude: string[] = [],
  setupFiles: string[] = [],
) => ({
  test: {
    name,
    root: `packages/${folder}`,
    include: ['test/**/*.test.ts'],
    exclude,
    globalSetup: [postgresSetup(major)],
    setupFiles,
    // Ends a test that hangs; busy machines take three times as long as idle ones.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});

/** Tests that do not depend on the PostgreSQL version run only once. */
const withoutPostgres = [
  'query-string',
  'list-query',
  'slots',
  'admission',
  'rate-limit',
  'config',
  'database-url',
  'service-variables',
  'people-hostile',
  'ledger',
  'retention-rules',
  'roles-file',
  'page-map',
  'search-state',
  'witness',
  'shared-work',
  'tracing',
  'tracing-settings',
  'contract-http',
  'contract-socket',
  'forwarded',
  'headers',
  'logging',
  'suppression-hashes',
].map((name) => `test/${name}.test.ts`);

/** Tests that measure times run one by one after all others. */
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 1 } };

/** Tests of an instance with several nodes. */
const nodeTests = 'test/nodes*.test.ts';

/** Tests that start a cluster of their own, with Patroni. */
const onCluster = (name: string, include: string) => ({
  test: {
    name,
    root: 'packages/cli',
    include: [include],
    ...oneByOne,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});

const { test: server } = onPostgres('nodes', 'server', 15);
const nodes = { test: { ...server, ...oneByOne, include: [nodeTests] } };

/** Tests of the executable that measure times. */
const timedTests = [
  'database-faults',
  'drain',
  'fairness',
  'slow-clients',
  'slow-queries',
  'start',
].map((name) => `test/${name}.test.ts`);
const { test: cli } = onPostgres('timing', 'cli', 15);
const timing = { test: { ...cli, ...oneByOne, include: timedTests } };

const onGivenDatabase = Boolean(process.env['DATABASE_URL']);

const report = process.env['TEST_REPORT'];

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: [
      'default',
      ...(report ? [['json', { outputFile: report }] as ['json', object]] : []),
    ],
    projects: [
      'packages/client',
      'packages/console',
      { test: { name: 'workspace', include: ['scripts/*.test.ts'], testTimeout: 30_000 } },
      {
        test: {
          name: 'contract',
          root: 'packages/contract',
          include: ['test/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      onPostgres('server on PostgreSQL 15', 'server', 15, [nodeTests], ['test/setup/patience.ts']),
      ...(onGivenDatabase
        ? []
        : [
            onPostgres(
              'server on PostgreSQL 18',
              'server',
              18,
              [...withoutPostgres, nodeTests],
              ['test/setup/patience.ts'],
            ),
            nodes,
          ]),
      onPostgres('sandbox', 'sandbox', 15),
      onPostgres('import', 'import', 15),
      onPostgres('cli', 'cli', 15, ['test/cluster/**', ...timedTests]),
      timing,
      onCluster('cluster', 'test/cluster/*.test.ts'),
      ...(process.env['FAULTS'] ? [onCluster('faults', 'test/cluster/faults/*.test.ts')] : []),
    ],
  },
});
