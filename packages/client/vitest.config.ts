import { defineConfig } from 'vitest/config';

/** One of the projects in the workspace's vitest.config.ts. Also works on its own. */
export default defineConfig({
  test: {
    name: 'client',
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['../sandbox/src/testing/postgres-15.ts'],
    // They only end what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
