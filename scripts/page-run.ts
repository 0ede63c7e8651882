/** Runs the commands of one documentation page, which share a database, an environment and a server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl, waitUntilReady, withClient } from '@clientele/sandbox';
import type { PublishedPackage } from './docs/published-package.ts';

export type Say = (line: string) => void;
type Environment = Record<string, string | undefined>;

export interface PageRunOptions {
  page: string;
  /** The copy of the working tree in which commands run. */
  copy: string;
  /** The commands that have run, on any page. Each one runs once. Without it, all run. */
  seen?: Set<string> | undefined;
  say: Say;
  clusterUrl: string;
  /** The folder of pg_dump and pg_restore. */
  binDir: string;
  /** For the servers that the page starts. */
  port: number;
  /** If given, commands run in its folder, and `npx` runs the package. */
  published?: PublishedPackage;
}

/** Commands that are not run, with the reason. */
const notRun: [pattern: RegExp, reason: string][] = [
  [/^npm install --global /, 'changes the machine'],
  [/^scripts\/bootstrap$/, 'may install system packages; CI runs it'],
  [/^\.ci\/run$/, 'runs this check'],
  [/^\.ci\/nightly$/, 'takes hours'],
  [/^pnpm (quick|test:waiting)$/, 'runs tests, which pnpm check does'],
  [/^pnpm faults /, 'takes a quarter of an hour'],
  [/^pnpm test:times$/, 'needs a machine that does nothing else'],
  [/^(docker |deploy\/new-secrets$)/, 'needs containers; pnpm image:check runs it'],
  [/^pnpm drill /, 'takes minutes'],
  [/^pnpm release /, 'needs a commit without changes'],
];
/** Servers, which run until the next one or the end of the page. */
const isServer = /(pnpm dev|(pnpm|npx) clientele (serve|demo\b.*))$/;
const isKnown =
  /^(! )?((\w+=\S+ )?pnpm |pg_dump |pg_restore |npx clientele |curl |mkdir -p |cat |sed -i |rm -r \.demo$)/;

export class PageRun {
  readonly #options: PageRunOptions;
  readonly #env: Environment;
  #database = 'postgres';
  #server: ChildProcess | undefined;
  #serverOutput = (): string => '';

  constructor(options: PageRunOptions) {
    this.#options = options;
    this.#env = {
      ...(options.published?.env ?? process.env),
      DATABASE_URL: undefined,
      TEST_REPORT: undefined,
      CI: 'true',
      CURL_HOME: options.copy,
      PORT: String(options.port),
    };
  }

  get #folder(): string {
    return this.#options.published?.folder ?? this.#options.copy;
  }

  async sql(text: string): Promise<void> {
    await this.#timed('ran', text, async () => {
      for (const statement of text.split(/;$/m).filter((each) => each.trim() !== '')) {
        await query(databaseUrl(this.#options.clusterUrl, this.#database), statement);
      }
      this.#database = /^create database (\w+)/m.exec(text)?.[1] ?? this.#database;
    });
  }

  async command(written: string): Promise<void> {
    const text = this.#options.published
      ? written
      : written.replace(/^(! )?((?:\w+=\S+ )*)(?:npx )?clientele\b/, '$1$2pnpm clientele');
    const reason = reasonToSkip(text, this.#options.copy);
    if (reason !== undefined) {
      this.#options.say(`${this.#options.page}: not run, ${reason}: ${text}`);
      return;
    }
    const command = (await onCluster(text, this.#options.clusterUrl)).replace(
      '127.0.0.1:8080',
      `127.0.0.1:${this.#options.port}`,
    );
    const [, name, value] = /^export (\w+)=(\S+)$/.exec(command) ?? [];
    if (name !== undefined) {
      this.#env[name] = value?.includes('…') ? this.#printed(name) : value;
      return;
    }
    if (!isKnown.test(text)) throw new Error(`this check cannot run: ${text}`);
    if (this.#options.seen?.has(text)) return;
    this.#options.seen?.add(text);
    // A reader has stopped the demo before deleting its folder.
    if (text.startsWith('rm ')) await this.stop();
    if (isServer.test(text)) await this.#timed('started', text, () => this.#serve(command));
    else await this.#timed('ran', text, () => run(command, this.#folder, this.#envOf(command)));
  }

  /** Programs of PostgreSQL find the cluster as those of a reader find theirs. */
  #envOf(command: string): Environment {
    if (!/\bpg_(dump|restore) /.test(command)) return this.#env;
    const { hostname, port, username, password } = new URL(this.#options.clusterUrl);
    return {
      ...this.#env,
      PATH: `${this.#options.binDir}:${this.#env['PATH']}`,
      ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
    };
  }

  async stop(): Promise<void> {
    await stop(this.#server);
  }

  async #serve(command: string): Promise<void> {
    await this.stop();
    // The demo takes its port from an option; the other commands read PORT.
    const { port } = this.#options;
    const whole = command.replace(/\bclientele demo\b/, `clientele demo --port ${port}`);
    [this.#server, this.#serverOutput] = await start(whole, this.#folder, this.#env, port);
  }

  /** The value of a variable that the reader copies from what the server printed. */
  #printed(name: string): string {
    const [, value] = new RegExp(`^ *export ${name}=(\\S+)$`, 'm').exec(this.#serverOutput()) ?? [];
    if (value === undefined) throw new Error(`the server printed no ${name}`);
    return value;
  }

  async #timed(verb: string, text: string, work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await work();
    const [firstLine] = text.split('\n');
    this.#options.say(
      `${this.#options.page}: ${verb} ${firstLine} (${Math.round(performance.now() - started)} ms)`,
    );
  }
}

function reasonToSkip(text: string, copy: string): string | undefined {
  const reason = checkedCommands(copy).includes(text)
    ? 'part of pnpm check'
    : notRun.find(([pattern]) => pattern.test(text))?.[1];
  const [program = ''] = text.split(' ');
  const isScript = reason !== undefined && program.includes('/');
  if (isScript) accessSync(join(copy, program), constants.X_OK);
  return reason;
}

/** `pnpm check`, which runs this check, and the commands that it consists of. */
function checkedCommands(copy: string): string[] {
  const steps = readFileSync(join(copy, 'scripts/check.ts'), 'utf8');
  return [
    'pnpm check',
    ...Array.from(steps.matchAll(/command: '(.*?)'/g), ([, command]) => command!),
  ];
}

/** Points example URLs to the private cluster, keeping the user if the cluster has that role. */
async function onCluster(command: string, url: string): Promise<string> {
  const example = /postgres:\/\/(\w+):[^@\s]+@[\w.]+(?::\d+)?(\/\w+)/.exec(command);
  if (!example) return command;
  const [whole, user = '', path = ''] = example;
  const [login] = await query(url, `select from pg_roles where rolname = '${user}'`);
  const { username, password, host } = new URL(url);
  const actual = login
    ? whole.replace(/@[^/]+/, `@${host}`)
    : `postgres://${username}:${password}@${host}${path}`;
  return command.replace(whole, actual);
}

const query = (url: string, text: string): Promise<object[]> =>
  withClient(url, async (client) => (await client.query<object>(text)).rows);

async function run(command: string, cwd: string, env: Environment): Promise<void> {
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${output()}`);
  if (command.startsWith('curl ')) requireCustomers(command, output());
}

function requireCustomers(command: string, body: string): void {
  const { data } = JSON.parse(body) as { data?: unknown[] };
  const empty = command.includes('search=') && data?.length === 0;
  if (!data || empty) throw new Error(`${command}: no customer in ${body}`);
}

/** Resolves when the server is ready. */
async function start(
  command: string,
  cwd: string,
  env: Environment,
  port: number,
): Promise<[ChildProcess, output: () => string]> {
  const child = spawn('bash', ['-c', command], { cwd, env, detached: true });
  process.once('exit', () => interrupt(child));
  const output = collect(child);
  try {
    await waitUntilReady(`http://127.0.0.1:${port}`, {
      isRunning: () => isAlive(child),
      timeoutMs: 180_000,
    });
  } catch (error) {
    await stop(child);
    throw new Error(`${command}: ${(error as Error).message}\n${output()}`, { cause: error });
  }
  return [child, output];
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (!child || !isAlive(child)) return;
  const closed = once(child, 'close');
  interrupt(child);
  await closed;
}

/** Like Ctrl-C: signals every process that the command started. */
function interrupt(child: ChildProcess): void {
  if (isAlive(child)) process.kill(-child.pid!, 'SIGINT');
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

function collect(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString().trim();
}
