import { defineConfig } from 'vite';

/** `vite` beside a running `clientele serve`; production is one folder of static files. */
const api = process.env['CLIENTELE_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  server: { proxy: { '/v3': api, '/session': api } },
  build: {
    target: 'es2024',
    // Every file is a request of its own: inlined ones would need `data:` in the security policy.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onLog(level, log, handle) {
        // 'use client' means nothing where there is no server rendering.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
