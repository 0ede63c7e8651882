import { defineConfig } from 'vitest/config';

/** They only end what hangs: a shared machine may stall for minutes. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000 };

const postgresSetup = (major: 15 | 18) => `../sandbox/src/testing/postgres-${major}.ts`;

/** A package whose tests use a real PostgreSQL, of the given version if it is installed. */
const onPostgres = (
  name: string,
  folder: string,
  major: 15 | 18,
  exclude: string[] = [],
  include: string[] = ['test/**/*.test.ts'],
) => ({
  test: {
    name,
    root: `packages/${folder}`,
    include,
    exclude,
    globalSetup: [postgresSetup(major)],
    // The files of a worker share the modules that they import, which saves most of the time.
    isolate: false,
    ...limits,
  },
});

/** Tests of what may differ between versions of PostgreSQL run on both, some of them at night only; others on one. */
const onBothVersions = [
  'exactness',
  'production-*',
  'migrate*',
  'doctor',
  'check-database',
  'customers-table',
  'filters',
  'fold',
  'known-answers',
  'new-cluster',
  'operators-triggers',
  'roles',
  'search-cases',
  'suggestions',
  'suppression',
  'timeline',
  ...(process.env['NIGHTLY']
    ? ['exactness-*', 'erasure-traces', 'operators-settings', 'pooler', 'stored-maps']
    : []),
].map((name) => `test/${name}.test.ts`);

const onPostgres18 = ['directory', 'server'].map((name) =>
  onPostgres(`${name} on PostgreSQL 18`, name, 18, [], onBothVersions),
);

/** Tests that mostly wait, for timeouts, restarts and failovers; `pnpm test:waiting`. */
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
    ...limits,
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
      { test: { name: 'workspace', include: ['scripts/*.test.ts'], ...limits } },
      {
        test: {
          name: 'contract',
          root: 'packages/contract',
          include: ['test/**/*.test.ts'],
          ...limits,
        },
      },
      onPostgres('directory on PostgreSQL 15', 'directory', 15),
      onPostgres('server on PostgreSQL 15', 'server', 15, [nodeTests]),
      ...(onGivenDatabase ? [] : [...onPostgres18, nodes]),
      onPostgres('sandbox', 'sandbox', 15),
      onPostgres('import', 'import', 15),
      onPostgres('cli', 'cli', 15, ['test/cluster/**', ...timedTests]),
      timing,
      onCluster('cluster', 'test/cluster/*.test.ts'),
      ...(process.env['FAULTS'] ? [onCluster('faults', 'test/cluster/faults/*.test.ts')] : []),
    ],
  },
});
