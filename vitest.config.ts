import { defineConfig } from 'vitest/config';

/** Server tests run on each PostgreSQL that we support and find; see packages/server/test/setup. */
const postgres = (major: 15 | 18, exclude: string[] = []) => ({
  test: {
    name: `server on PostgreSQL ${major}`,
    root: 'packages/server',
    include: ['test/**/*.test.ts'],
    exclude,
    globalSetup: [`test/setup/postgres-${major}.ts`],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

/** What no version of PostgreSQL can make a difference to is tested once. */
const withoutPostgres = [
  'private-postgres',
  'query-string',
  'list-query',
  'slots',
  'config',
  'page-map',
  'search-state',
  'shared-work',
  'contract-http',
  'contract-socket',
].map((name) => `test/${name}.test.ts`);

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
      { test: { name: 'contract', root: 'packages/contract', include: ['test/**/*.test.ts'] } },
      postgres(15),
      ...(onGivenDatabase ? [] : [postgres(18, withoutPostgres)]),
      {
        test: {
          name: 'cli',
          root: 'packages/cli',
          include: ['test/**/*.test.ts'],
          globalSetup: ['../server/test/setup/postgres-15.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
