import { defineConfig } from 'vitest/config';

/** A project of the workspace's vitest.config.ts; it also runs on its own. */
export default defineConfig({
  // The time limit only ends what hangs.
  test: { name: 'console', include: ['test/**/*.test.ts'], testTimeout: 600_000 },
});
