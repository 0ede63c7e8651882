/**
 * Checks what operators rely on when something breaks: the rules by their unit tests, and all of it with a real
 * instance, Prometheus and Alertmanager, while PostgreSQL is stopped.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@clientele/sandbox';
import { expressions } from '../deploy/monitoring/dashboard.ts';
import { install } from './debian.ts';
import { observe, start, type Observers } from './monitoring/observers.ts';
import { startPrimaryAndReplica } from './monitoring/primary-and-replica.ts';
import { folder, quickRules, staticFaults, testFiles } from './monitoring/rules.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
const clientele = (...options: string[]): string[] => [
  process.execPath,
  '--max-semi-space-size=8',
  main,
  ...options,
];
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function until(
  what: string,
  isTrue: () => Promise<boolean>,
  withinMs: number,
): Promise<number> {
  const started = performance.now();
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() - started > withinMs)
      throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(250);
  }
  return Math.round(performance.now() - started) / 1_000;
}

async function checkRules(): Promise<void> {
  const faults = await staticFaults(expressions);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  say('every alert has a runbook and a test, and every metric is documented');
  await run('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: folder });
  const { stdout } = await run('promtool', ['test', 'rules', ...testFiles], { cwd: folder });
  say(`unit tests of the rules: ${stdout.match(/SUCCESS/g)?.length} files passed`);
}

/** Reads, new searches that have to be counted, and refusals. */
function load(url: string): { stop: () => void } {
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    const paths = ['customers', `customers?search=${sent.toString(36)}`, 'customers/nobody'];
    void fetch(`${url}/v3/${paths[sent % paths.length]}`)
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
  }, 100);
  return { stop: () => clearInterval(timer) };
}

async function checkDashboard(observers: Observers): Promise<void> {
  const hasData = async (expression: string): Promise<boolean> => {
    const text = expression.replaceAll('$job', 'clientele').replaceAll('$__rate_interval', '10s');
    return (await observers.query(text)).some((value) => !Number.isNaN(value));
  };
  for (const expression of expressions) {
    await until(`data for ${expression}`, () => hasData(expression), 45_000);
  }
  say(`every query of the dashboard returns data: ${expressions.length}`);
}

const expected = ['ClienteleNoUsableNode', 'ClienteleReadsFailFast'];

async function checkAlerts({ arrived }: Observers, stopPostgres: () => Promise<void>) {
  const firing = (name: string) =>
    arrived.find(({ status, labels }) => status === 'firing' && labels['alertname'] === name);
  const early = expected.filter(firing);
  if (early.length > 0) throw new Error(`before PostgreSQL stopped: ${early.join(', ')}`);
  await stopPostgres();
  say('PostgreSQL is stopped');
  for (const name of expected) {
    const took = await until(
      `${name} at the webhook`,
      async () => firing(name) !== undefined,
      90_000,
    );
    const { annotations } = firing(name)!;
    say(`${name} arrived after ${took} s more: ${annotations['runbook_url']}`);
  }
  const others = new Set(arrived.map(({ labels }) => labels['alertname']!));
  say(`all that arrived: ${[...others].toSorted().join(', ')}`);
}

async function checkRunning(home: string): Promise<void> {
  await using servers = await startPrimaryAndReplica(home);
  const customers = join(home, 'customers.csv');
  const execute = async (...options: string[]): Promise<string> => {
    const [node, ...rest] = clientele(...options);
    const env = { ...process.env, DATABASE_URL: servers.url };
    return (await run(node!, rest, { env, maxBuffer: 1e8 })).stdout;
  };
  await execute('migrate');
  await writeFile(customers, await execute('generate', '--customers', '2000', '--quiet'));
  await execute('import', customers, '--quiet');
  const ports = { PORT: String(await freePort()), CLIENTELE_ADMIN_PORT: String(await freePort()) };
  const serving = start(clientele('serve'), join(home, 'serve.log'), {
    ...process.env,
    ...ports,
    DATABASE_URL: servers.nodes,
    CLIENTELE_AUTH: 'none',
    CLIENTELE_AUDIT_SPOOL: join(home, 'spool'),
  });
  const admin = `127.0.0.1:${ports.CLIENTELE_ADMIN_PORT}`;
  await until('ready', async () => (await fetch(`http://${admin}/readyz`)).ok, 30_000);
  const requests = load(`http://127.0.0.1:${ports.PORT}`);
  try {
    await using observers = await observe(home, admin, await quickRules());
    await checkDashboard(observers);
    await checkAlerts(observers, () => servers.stop());
  } finally {
    requests.stop();
    await serving.stop();
  }
}

install('prometheus', 'promtool', 'prometheus-alertmanager');
await checkRules();
const home = await mkdtemp(join(tmpdir(), 'clientele-monitoring-'));
await chmod(home, 0o711);
try {
  await checkRunning(home);
} finally {
  await rm(home, { recursive: true, force: true });
}
