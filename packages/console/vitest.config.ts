import { defineConfig } from 'vitest/config';

/** A project of the workspace's vitest.config.ts; also runs by itself. */
export default defineConfig({
  test: { name: 'console', include: ['test/**/*.test.ts'] },
});
