import { defineConfig } from 'vite';
import { guide } from './guide-pages.ts';

/** The dev server proxies to a running `clientele serve`; a build is one folder of static files. */
const api = process.env['CLIENTELE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [guide()],
  server: { proxy: { '/v3': api, '/session': api } },
  build: {
    target: 'es2024',
    // Inlined assets would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onLog(level, log, handle) {
        // 'use client' has no effect without server rendering.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
