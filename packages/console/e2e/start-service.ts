/**
 * Starts a private PostgreSQL with generated customers and the real executable, for the tests or by
 * hand (`node e2e/start-service.ts`). Prints one line of JSON when ready; stops when stdin closes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { scopes, type Scope } from '@clientele/contract';
import { wireFields } from '@clientele/contract/customer-fields';
import {
  addOrder,
  insertKey,
  makeAccessKey,
  migrate,
  orders,
  prepareMasking,
  readMigrations,
} from '@clientele/directory';
import { findPostgres, firstFreePort, startPrivatePostgres } from '@clientele/sandbox';
import { startIdentityProvider } from '@clientele/sandbox/testing/identity-provider';
import pg from 'pg';
import { copyCustomers } from '@clientele/sandbox/generator';
import { peculiarCustomers } from './peculiar-customers.ts';

export interface Service {
  url: string;
  key: string;
  /** For running other CLI commands. */
  databaseUrl: string;
  /** Another server, whose database has no customers. */
  empty: { url: string; key: string };
  /** Another server with few customers, whose key may not see contact details. */
  masked: { url: string; key: string };
  /** Two instances on the first database, where people sign in with a provider. */
  people: { url: string; other: string; issuer: string };
  customers: number;
}

/** The customers of `clientele demo` only, for pictures of what a reader sees. */
const isDemo = Boolean(process.env['DEMO_CUSTOMERS']);
const customers = Number(process.env['CUSTOMERS'] ?? (isDemo ? 10_000 : 100_000));
const peculiar = isDemo ? [] : peculiarCustomers;
const [postgres] = await findPostgres();
if (!postgres) throw new Error('No PostgreSQL on this machine: apt-get install postgresql-15');
/** Several services share it. */
const settings = { max_connections: 300 };
const cluster = await startPrivatePostgres({ postgres, settings });
const children: ChildProcess[] = [];

async function createDatabase(name: string, fill: (client: pg.Client) => Promise<void>) {
  const admin = new pg.Client({ connectionString: cluster.url });
  await admin.connect();
  await admin.query(`create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`);
  await admin.end();
  const url = new URL(cluster.url);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await migrate(client, await readMigrations());
  await fill(client);
  await client.query('analyze');
  return { url: url.href, client };
}

const folder = await mkdtemp(join(tmpdir(), 'clientele-e2e-'));
let nextPort = 18_100;
const freePort = async (): Promise<number> => {
  const port = await firstFreePort(nextPort);
  nextPort = port + 1;
  return port;
};

/** Runs `clientele serve` on a free port and reads the URL from its log. */
async function serve(databaseUrl: string, env: Record<string, string> = {}): Promise<string> {
  const port = await freePort();
  const main = new URL('../../cli/src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      CLIENTELE_PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
      CLIENTELE_AUDIT_SPOOL: join(folder, `spool-${port}`),
      CLIENTELE_RATE_SEARCHES: '0',
      CLIENTELE_RATE_READS: '0',
      // Sign-ins are limited per address, so every test sends its own in X-Forwarded-For.
      CLIENTELE_TRUSTED_PROXIES: '127.0.0.1',
      CLIENTELE_CONSOLE_LINKS:
        'Orders=https://shop.example/orders?customer={uuid},Tickets=https://help.example/?q={email}',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface(child.stdout);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`clientele serve ended with ${code}`)));
    lines.on('line', (line) => {
      const listening = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (listening) resolve(listening[0]);
    });
  });
}

async function servePeople(databaseUrl: string): Promise<Service['people']> {
  const port = await freePort();
  const publicOrigin = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ['clientele', 'knownOnlyToTheTwoOfUs'];
  const person = (name: string, groups: string[]) => ({
    name: `${name} Sample`,
    email: `${name.toLowerCase()}@staff.example`,
    groups,
  });
  const { issuer } = await startIdentityProvider({
    publicOrigin,
    clientId,
    clientSecret,
    people: {
      anna: person('Anna', ['desk']),
      ben: person('Ben', ['leads', 'exporters']),
      carl: person('Carl', ['strangers']),
    },
  });
  const secretFile = join(folder, 'secret');
  await writeFile(secretFile, clientSecret, { mode: 0o600 });
  const rolesFile = join(folder, 'roles.json');
  const groups = { desk: ['support'], leads: ['support-lead'], exporters: ['export'] };
  await writeFile(rolesFile, JSON.stringify({ groups }));
  const env = {
    CLIENTELE_PUBLIC_ORIGIN: publicOrigin,
    CLIENTELE_OIDC_ISSUER: issuer,
    CLIENTELE_OIDC_CLIENT_ID: clientId,
    CLIENTELE_OIDC_CLIENT_SECRET_FILE: secretFile,
    CLIENTELE_ROLES_FILE: rolesFile,
  };
  const url = await serve(databaseUrl, { ...env, PORT: String(port) });
  return { url, other: await serve(databaseUrl, env), issuer };
}

async function makeKey(client: pg.Client, name: string, may: readonly Scope[] = scopes) {
  const key = makeAccessKey();
  await insertKey(client, key, name, may);
  return key.key;
}

async function insertPeculiar(client: pg.Client): Promise<void> {
  await client.query(
    `insert into customers (${wireFields.join(', ')})
     select ${wireFields.join(', ')} from jsonb_populate_recordset(null::customers, $1)`,
    [JSON.stringify(peculiar)],
  );
}

const full = await createDatabase('clientele', async (client) => {
  await copyCustomers(client, 1, customers);
  await insertPeculiar(client);
  // Some of the people may not see contact details.
  await prepareMasking(client);
  for (const order of orders) await addOrder(client, order);
});
const masked = await createDatabase('masked', async (client) => {
  await copyCustomers(client, 1, 300);
  await insertPeculiar(client);
  await prepareMasking(client);
});
const withoutContact = scopes.filter((scope) => scope !== 'customers:contact');
const none = await createDatabase('nobody', async () => undefined);
const service: Service = {
  url: await serve(full.url),
  key: await makeKey(full.client, 'Support desk'),
  databaseUrl: full.url,
  empty: { url: await serve(none.url), key: await makeKey(none.client, 'Nobody yet') },
  masked: {
    url: await serve(masked.url),
    key: await makeKey(masked.client, 'First line', withoutContact),
  },
  people: await servePeople(full.url),
  customers: customers + peculiar.length,
};
process.stdout.write(`${JSON.stringify(service)}\n`);

// The parent closes stdin, or exits, to stop the service.
process.stdin.resume().on('end', () => void stop());
process.on('SIGTERM', () => void stop()).on('SIGINT', () => void stop());

async function stop(): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(
    [full.client.end(), masked.client.end(), none.client.end()].map((end) =>
      end.catch(() => undefined),
    ),
  );
  await cluster.stop();
  await rm(folder, { recursive: true });
  process.exit(0);
}
