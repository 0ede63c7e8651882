import { defineConfig } from 'vite';

/** Keeps the access key on the development server. In production, your backend does the same. */
const proxy = {
  '/v3': {
    target: process.env['CLIENTELE_URL'] ?? 'http://127.0.0.1:8080',
    headers: { authorization: `Bearer ${process.env['CLIENTELE_KEY'] ?? ''}` },
  },
};

export default defineConfig({ server: { proxy }, preview: { proxy } });
