import { defineConfig } from 'vitest/config';

/** One of the projects in the workspace's vitest.config.ts. Also works on its own. */
export default defineConfig({
  test: {
    name: 'client',
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['../sandbox/src/testing/postgres-15.ts'],
    setupFiles: ['../server/test/setup/patience.ts'],
    testTimeout: 60_000,
  },
});
