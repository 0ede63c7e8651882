import { defineConfig } from 'vitest/config';

const postgresSetup = (major: 15 | 18) => `../sandbox/src/testing/postgres-${major}.ts`;

/** A package whose tests use a real PostgreSQL, of the given version if it is installed. */
const onPostgres = (
  name: string,
  folder: string,
  major: 15 | 18,
  exclude: string[] = [],
  setupFiles: string[] = [],
  include: string[] = ['test/**/*.test.ts'],
) => ({
  test: {
    name,
    root: `packages/${folder}`,
    include,
    exclude,
    globalSetup: [postgresSetup(major)],
    setupFiles,
    // Ends a test that hangs; busy machines take three times as long as idle ones.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});

/** Tests of what may differ between versions of PostgreSQL. The others run on one. */
const onBothVersions = [
  'exactness*',
  'production-*',
  'migrate*',
  'doctor',
  'check-database',
  'customers-table',
  'erasure-traces',
  'filters',
  'fold',
  'known-answers',
  'new-cluster',
  'roles',
  'search-cases',
  'stored-maps',
  'suggestions',
  'suppression',
  'timeline',
].map((name) => `test/${name}.test.ts`);

const patiently = ['test/setup/patience.ts'];
const onPostgres18 = onPostgres(
  'server on PostgreSQL 18',
  'server',
  18,
  [],
  patiently,
  onBothVersions,
);

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
    // Many tests wait more than they compute.
    maxWorkers: 3,
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
      onPostgres('server on PostgreSQL 15', 'server', 15, [nodeTests], patiently),
      ...(onGivenDatabase ? [] : [onPostgres18, nodes]),
      onPostgres('sandbox', 'sandbox', 15),
      onPostgres('import', 'import', 15),
      onPostgres('cli', 'cli', 15, ['test/cluster/**', ...timedTests]),
      timing,
      onCluster('cluster', 'test/cluster/*.test.ts'),
      ...(process.env['FAULTS'] ? [onCluster('faults', 'test/cluster/faults/*.test.ts')] : []),
    ],
  },
});
