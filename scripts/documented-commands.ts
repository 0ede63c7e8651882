/**
 * Runs the `sh` and `sql` blocks of documentation pages, in order, in a copy of the working tree and on
 * a PostgreSQL of its own for each page.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, rmSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgres, freePort, startPrivatePostgres } from '@clientele/sandbox';

interface Sql {
  connect(): Promise<void>;
  query(text: string): Promise<{ rows: Record<string, string>[] }>;
  end(): Promise<void>;
}
/** The workspace's root has no driver of its own. */
const { Client } = createRequire(new URL('../packages/server/package.json', import.meta.url))(
  'pg',
) as { Client: new (options: { connectionString: string }) => Sql };

type Say = (line: string) => void;
type Step = { kind: 'sh' | 'sql'; text: string };

/** Not run, and why. */
const notRun: [pattern: RegExp, reason: string][] = [
  [/^npm install --global /, 'changes the machine'],
  [/^scripts\/bootstrap$/, 'may install system packages; CI runs it'],
  [/^\.ci\/run$/, 'runs this check'],
];
/** Run until the next one or the end of the page. */
const staysUp = /pnpm (dev|clientele serve|clientele demo\b.*)$/;
const runs = /^((\w+=\S+ )?pnpm |curl |mkdir -p )/;

/** Returns what went wrong. */
export async function runDocumentedCommands(root: string, pages: string[], say: Say) {
  // Also after Ctrl-C: nothing that was started or copied here stays.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const copy = await copyTree(root);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const page of pages) {
    const steps = readSteps(await readFile(join(root, page), 'utf8'));
    const fault = await runPage(page, steps, copy, seen, say);
    if (fault !== undefined) faults.push(`${page}: ${fault}`);
  }
  return faults;
}

/** What git has or would take, uncommitted changes included. */
async function copyTree(root: string): Promise<string> {
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root });
  const copy = await mkdtemp(join(tmpdir(), 'clientele-docs-'));
  // PostgreSQL's account has to reach the database of `pnpm dev` in it.
  await chmod(copy, 0o755);
  for (const file of files.toString().split('\0')) {
    if (file !== '' && existsSync(join(root, file))) await cp(join(root, file), join(copy, file));
  }
  // Makes curl fail on an HTTP error.
  await writeFile(join(copy, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
  return copy;
}

function readSteps(page: string): Step[] {
  return [...page.matchAll(/^```(sh|sql)\n([\s\S]*?)^```$/gm)]
    .flatMap(([, kind, block = '']): Step[] =>
      kind === 'sql'
        ? [{ kind, text: block.trim() }]
        : block.split('\n').map((line) => ({
            kind: 'sh',
            text: line.replace(/(^|\s+)#.*$/, '').trim(),
          })),
    )
    .filter(({ text }) => text !== '');
}

/** Returns the first fault, after which the page's other commands mean little. */
async function runPage(page: string, steps: Step[], copy: string, seen: Set<string>, say: Say) {
  const [postgres] = await findPostgres();
  if (!postgres) return 'there is no PostgreSQL to run on';
  const cluster = await startPrivatePostgres({ postgres });
  const port = await freePort();
  const env: Record<string, string | undefined> = {
    ...process.env,
    DATABASE_URL: undefined,
    TEST_REPORT: undefined,
    CI: 'true',
    CURL_HOME: copy,
    PORT: String(port),
  };
  let database = 'postgres';
  let running: ChildProcess | undefined;
  try {
    for (const { kind, text } of steps) {
      const started = performance.now();
      const told = (what: string) =>
        say(
          `${page}: ${what} ${text.split('\n')[0]} (${Math.round(performance.now() - started)} ms)`,
        );
      if (kind === 'sql') {
        for (const statement of text.split(/;$/m).filter((each) => each.trim() !== '')) {
          await query(cluster.url, database, statement);
        }
        database = /^create database (\w+)/m.exec(text)?.[1] ?? database;
        told('ran');
        continue;
      }
      const checks = checkedCommands(copy);
      const reason = checks.includes(text)
        ? 'a part of pnpm check'
        : notRun.find(([pattern]) => pattern.test(text))?.[1];
      if (reason !== undefined) {
        const [program = ''] = text.split(' ');
        if (program.includes('/')) accessSync(join(copy, program), constants.X_OK);
        say(`${page}: not run, ${reason}: ${text}`);
        continue;
      }
      const command = (await onCluster(text, cluster.url)).replace(
        '127.0.0.1:8080',
        `127.0.0.1:${port}`,
      );
      const [, name, value] = /^export (\w+)=(\S+)$/.exec(command) ?? [];
      if (name !== undefined) {
        env[name] = value;
        continue;
      }
      if (!runs.test(text)) throw new Error(`nobody knows how to run: ${text}`);
      if (seen.has(text)) continue;
      seen.add(text);
      if (staysUp.test(text)) {
        await stop(running);
        // The one that reads no settings.
        const demo = text.startsWith('pnpm clientele demo');
        const whole = demo ? `${command} --port ${port}` : command;
        running = await start(whole, copy, env, port);
        told('started');
      } else {
        await run(command, copy, env);
        told('ran');
      }
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await stop(running);
    await cluster.stop();
  }
}

/** `pnpm check`, which would come here again, and what it runs itself. */
function checkedCommands(copy: string): string[] {
  const { scripts } = createRequire(join(copy, 'package.json'))('./package.json') as {
    scripts: { check: string };
  };
  return ['pnpm check', ...scripts.check.split(' && ')];
}

/** Example URLs lead to the private cluster: as the login they name, where it exists. */
async function onCluster(command: string, url: string): Promise<string> {
  const example = /postgres:\/\/(\w+):[^@\s]+@[\w.]+(?::\d+)?(\/\w+)/.exec(command);
  if (!example) return command;
  const [whole, user = '', path = ''] = example;
  const [login] = await query(url, 'postgres', `select from pg_roles where rolname = '${user}'`);
  const { username, password, host } = new URL(url);
  const ours = login
    ? whole.replace(/@[^/]+/, `@${host}`)
    : `postgres://${username}:${password}@${host}${path}`;
  return command.replace(whole, ours);
}

async function query(url: string, database: string, text: string) {
  const target = new URL(url);
  target.pathname = `/${database}`;
  const client = new Client({ connectionString: target.href });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

type Environment = Record<string, string | undefined>;

async function run(command: string, cwd: string, env: Environment): Promise<void> {
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${output()}`);
  if (command.startsWith('curl ')) requireAnswer(command, output());
}

function requireAnswer(command: string, body: string): void {
  const { data } = JSON.parse(body) as { data?: unknown[] };
  const empty = command.includes('search=') && data?.length === 0;
  if (!data || empty) throw new Error(`${command}: no customer in ${body}`);
}

/** Resolves when it is ready to answer. */
async function start(command: string, cwd: string, env: Environment, port: number) {
  const child = spawn('bash', ['-c', command], { cwd, env, detached: true });
  process.once('exit', () => interrupt(child));
  const output = collect(child);
  const deadline = performance.now() + 180_000;
  while (!(await isReady(port))) {
    if (!isAlive(child) || performance.now() > deadline) {
      await stop(child);
      throw new Error(`${command}: never ready\n${output()}`);
    }
    await sleep(100);
  }
  return child;
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (!child || !isAlive(child)) return;
  const closed = once(child, 'close');
  interrupt(child);
  await closed;
}

/** As Ctrl-C does: a signal to everything that the command started. */
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
