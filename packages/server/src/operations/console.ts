/** The built console, at `/`. Its files are few and do not change while we run: they are in memory. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '../http/problems.ts';

/** Nothing but our own files: no inline script or style, no other host, no frame around us. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  // The address holds the search, which is personal data.
  'referrer-policy': 'same-origin',
};

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

interface StaticFile {
  type: string;
  bytes: Buffer;
  /** Absent for what is compressed already. */
  gzipped: Buffer | undefined;
}

export interface ConsoleConfig {
  currency: string;
  /** The host of the provider that people can sign in with. */
  provider?: string | undefined;
}

/** Adds routes for the console's files and pages. Mistyped addresses get its page too, as a 404. */
export async function addConsole(
  app: FastifyInstance,
  folder: URL,
  config: ConsoleConfig,
): Promise<void> {
  const files = await readFiles(folder);
  const index = files.get('index.html');
  if (!index) throw new Error('The console was not built: its index.html is missing.');
  files.delete('index.html');
  for (const page of ['/', '/customers/:id']) {
    app.get(page, (request, reply) => sendFile(request, reply.headers(pageHeaders), index));
  }
  app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    if (file) {
      if (path.endsWith('.html')) reply.headers(pageHeaders);
      else reply.header('cache-control', cachingOf(path));
      return sendFile(request, reply, file);
    }
    const isPage = /\btext\/html\b/.test(request.headers.accept ?? '');
    if (!isPage || /^\/v\d/i.test(request.url)) throw new ProblemError('route-not-found');
    return sendFile(request, reply.code(404).headers(pageHeaders), index);
  });
  // What a console on another host has as a file.
  app.get('/config.json', async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
    return { apiUrl: '', ...config };
  });
}

/** Names in assets/ carry a hash of their content. */
const cachingOf = (path: string): string =>
  path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';

async function readFiles(folder: URL): Promise<Map<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  const root = fileURLToPath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(parentPath, name));
    const type = types[extname(name)] ?? 'application/octet-stream';
    const gzipped = type.startsWith('font/') ? undefined : await promisify(gzip)(bytes);
    files.set(relative(root, join(parentPath, name)), { type, bytes, gzipped });
  }
  return files;
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile) {
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') && file.gzipped;
  reply.type(file.type).header('vary', 'Accept-Encoding');
  if (zipped) reply.header('content-encoding', 'gzip');
  return reply.send(zipped || file.bytes);
}
