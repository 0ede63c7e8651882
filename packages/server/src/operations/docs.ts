/** `/openapi.json`, and the same document for people at `/docs`. */
import { openapiDocument } from '@clientele/contract/openapi';
import type { FastifyInstance } from 'fastify';
import { docsPage } from './docs-page.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function addDocs(app: FastifyInstance, version: string): void {
  const document = openapiDocument(version);
  const page = docsPage(document);
  app.get('/openapi.json', async () => document);
  app.get('/docs', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .send(page),
  );
}
