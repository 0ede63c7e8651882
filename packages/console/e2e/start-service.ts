/**
 * Starts a private PostgreSQL with generated customers and the real executable, for the tests or by
 * hand (`node e2e/start-service.ts`). Prints one line of JSON when ready; stops when stdin closes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { migrate, readMigrations, insertKey, makeAccessKey } from '@clientele/server';
import { findPostgres, startPrivatePostgres } from '@clientele/sandbox';
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
  customers: number;
}

const customers = Number(process.env['CUSTOMERS'] ?? 100_000);
const [postgres] = await findPostgres();
if (!postgres) throw new Error('No PostgreSQL on this machine: apt-get install postgresql-15');
const cluster = await startPrivatePostgres({ postgres });
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

/** Runs `clientele serve` on a free port and reads the URL from its log. */
async function serve(databaseUrl: string): Promise<string> {
  const main = new URL('../../cli/src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PORT: '0',
      CLIENTELE_RATE_SEARCHES: '0',
      CLIENTELE_RATE_READS: '0',
      // Sign-ins are limited per address, so every test sends its own in X-Forwarded-For.
      CLIENTELE_TRUSTED_PROXIES: '127.0.0.1',
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

async function makeKey(client: pg.Client, name: string) {
  const key = makeAccessKey();
  await insertKey(client, key, name, ['customers:list', 'customers:lookup']);
  return key.key;
}

const full = await createDatabase('clientele', async (client) => {
  await copyCustomers(client, 1, customers);
  await client.query(
    `insert into customers (uuid, full_name, email_address, phone_number, company_name, is_verified,
       total_orders, lifetime_value_cents, last_order_at, created_at)
     select uuid, full_name, email_address, phone_number, company_name, is_verified,
       total_orders, lifetime_value_cents, last_order_at, created_at
     from jsonb_populate_recordset(null::customers, $1)`,
    [JSON.stringify(peculiarCustomers)],
  );
});
const none = await createDatabase('nobody', async () => undefined);
const service: Service = {
  url: await serve(full.url),
  key: await makeKey(full.client, 'Support desk'),
  databaseUrl: full.url,
  empty: { url: await serve(none.url), key: await makeKey(none.client, 'Nobody yet') },
  customers: customers + peculiarCustomers.length,
};
process.stdout.write(`${JSON.stringify(service)}\n`);

// The parent closes stdin, or exits, to stop the service.
process.stdin.resume().on('end', () => void stop());
process.on('SIGTERM', () => void stop()).on('SIGINT', () => void stop());

async function stop(): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(
    [full.client.end(), none.client.end()].map((end) => end.catch(() => undefined)),
  );
  await cluster.stop();
  process.exit(0);
}
