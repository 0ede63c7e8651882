/** The real app on a real database. Requests are made in process, without a port. */
import {
  insertKey,
  type KeyLimits,
  makeAccessKey,
  Nodes,
  type Timeouts,
} from '@clientele/directory';
import { type AppOptions, buildApp, LedgerKeeper, readConfig } from '@clientele/server';
import { scopes, type Scope } from '@clientele/contract';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { patient } from './patient.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestService extends AsyncDisposable {
  app: FastifyInstance;
  database: TestDatabase;
  nodes: Nodes;
  readiness: AppOptions['readiness'];
  /** Everything the service has logged so far. */
  logged(): string;
  key: string;
  makeKey(may?: readonly Scope[], limits?: KeyLimits): Promise<{ key: string; id: string }>;
  /** Sends a GET request with the test's key. */
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

export interface TestServiceOptions {
  /** Returns another URL of the same database. */
  via?: (url: string) => Promise<string>;
  timeouts?: Timeouts;
}

export async function startTestService(
  env: Record<string, string> = {},
  { via = (url) => Promise.resolve(url), timeouts = patient }: TestServiceOptions = {},
): Promise<TestService> {
  const database = await createTestDatabase();
  const folder = await temporaryFolder();
  const given = {
    DATABASE_URL: await via(database.url),
    CLIENTELE_RATE_READS: '0',
    CLIENTELE_RATE_SEARCHES: '0',
    CLIENTELE_AUDIT: 'off',
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
    ...env,
  };
  const config = readConfig(given, timeouts);
  const nodes = new Nodes(config);
  const { ledger, database: nodesConfig } = config;
  const keeper = ledger && (await LedgerKeeper.open(ledger, nodes, nodesConfig.maxLagSeconds));
  // If the database lacks erasures, every request is refused.
  await keeper?.start().catch(() => undefined);
  const readiness = { checked: true, draining: false };
  const lines: string[] = [];
  const app = await buildApp({
    config,
    nodes,
    readiness,
    keeper,
    logStream: { write: (line) => void lines.push(line) },
  });
  const client = await database.connect();
  const makeKey = async (may: readonly Scope[] = scopes, limits?: KeyLimits) => {
    const made = makeAccessKey();
    await insertKey(client, made, 'test', may, limits);
    return { key: made.key, id: made.id };
  };
  const { key } = await makeKey();
  return {
    app,
    database,
    nodes,
    readiness,
    key,
    makeKey,
    logged: () => lines.join(''),
    get: (url, headers = {}) =>
      app.inject({ url, headers: { authorization: `Bearer ${key}`, ...headers } }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await nodes.close();
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
