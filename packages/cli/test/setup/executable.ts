/** The real executable in a process of its own, under real signals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { scopes } from '@clientele/contract';
import { insertKey, makeAccessKey } from '@clientele/server';
import pg from 'pg';

/** Spares each of many processes half of its start. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export type Environment = Record<string, string>;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Executable extends AsyncDisposable {
  pid: number;
  exited: Promise<Exit>;
  /** What it has written so far, both streams in order of arrival. */
  output(): string;
  /** Resolves as soon as it has written this; rejects when it ends without. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  /** Where the program was given one. */
  stdin: Writable | null;
}

/** Starts a program of Node's with nothing of our own environment but the path. */
export function startNode(
  args: string[],
  env: Environment,
  options: { cwd?: string; detached?: boolean; stdin?: 'ignore' | 'pipe' } = {},
): Executable {
  const { stdin = 'ignore', ...others } = options;
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    ...others,
  });
  const written = { stdout: '', stderr: '', both: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
      written.both += text;
      child.emit('written');
    });
  }
  const end = (): void => {
    try {
      process.kill(options.detached ? -child.pid! : child.pid!, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.once('exit', end);
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    process.off('exit', end);
    const { stdout, stderr } = written;
    return { code, signal, stdout, stderr };
  });
  return {
    pid: child.pid!,
    exited,
    output: () => written.both,
    async said(pattern) {
      for (;;) {
        const found = pattern.exec(written.both);
        if (found) return found;
        const gone = await Promise.race([once(child, 'written'), exited.then(() => 'gone')]);
        if (gone === 'gone' && !pattern.test(written.both)) {
          throw new Error(`ended without saying ${pattern}:\n${written.both}`);
        }
      }
    },
    kill: (signal) => void child.kill(signal),
    stdin: child.stdin,
    async [Symbol.asyncDispose]() {
      end();
      await exited;
    },
  };
}

export const startClientele = (
  args: string[],
  env: Environment = {},
  options: Parameters<typeof startNode>[2] = {},
): Executable => startNode([main, ...args], env, options);

/** Runs a command to its end. */
export const clientele = (args: string[], env: Environment = {}): Promise<Exit> =>
  startClientele(args, env).exited;

/** Seconds that this machine takes to start the program at all, as busy as it is right now. */
export async function bareStartSeconds(): Promise<number> {
  const start = performance.now();
  await clientele(['--version']);
  return (performance.now() - start) / 1000;
}

export interface Service extends Executable {
  url: string;
  port: number;
}

/** `clientele serve` on any free port, without limits of rate; resolves once it listens. */
export async function startService(env: Environment): Promise<Service> {
  const executable = startClientele(['serve'], {
    PORT: '0',
    CLIENTELE_RATE_READS: '0',
    CLIENTELE_RATE_SEARCHES: '0',
    ...env,
  });
  const [, url, port] = await executable.said(/listening at (http:\/\/127\.0\.0\.1:(\d+))/);
  return { ...executable, url: url!, port: Number(port) };
}

/** A key for the database, made without the executable. */
export async function makeKey(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const made = makeAccessKey();
    await insertKey(client, made, 'test', scopes);
    return made.key;
  } finally {
    await client.end();
  }
}
