import { defineConfig } from 'vitest/config';

/** A project of the workspace's vitest.config.ts; it also runs on its own. */
export default defineConfig({
  // Properties are tried on thousands of generated cases, which takes a while on a busy machine.
  test: { name: 'console', include: ['test/**/*.test.ts'], testTimeout: 30_000 },
});
