import { defineConfig } from 'vitest/config';

/** A project of the workspace's vitest.config.ts; also runs by itself. */
export default defineConfig({
  test: {
    name: 'client',
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['../sandbox/src/testing/postgres-15.ts'],
    testTimeout: 20_000,
  },
});
