/** Runs the real executable in its own process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createAccessKey } from '@clientele/sandbox';
import { temporaryFolder } from '@clientele/sandbox/testing/temporary-folder';

/** Halves the start-up time of the many processes. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
/** As in the first line of main.ts. */
const nodeFlags = ['--max-semi-space-size=8'];
const workspace = new URL('../../../../', import.meta.url);
/** `pnpm check` names the bundle that it has built; other runs use the sources. */
export const main = fileURLToPath(
  new URL(process.env['TEST_EXECUTABLE'] ?? 'packages/cli/src/main.ts', workspace),
);
/** What Node is given to run it. */
export const mainArguments = [...nodeFlags, main];

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
  /** What it has written to both streams so far. */
  output(): string;
  /** Resolves when it has written this; rejects if it exits first. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  /** null unless started with `stdin: 'pipe'`. */
  stdin: Writable | null;
}

/** Starts Node with an empty environment, except for PATH. */
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
      // It has exited already.
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
        const event = await Promise.race([once(child, 'written'), exited.then(() => 'exited')]);
        if (event === 'exited' && !pattern.test(written.both)) {
          throw new Error(`exited without writing ${pattern}:\n${written.both}`);
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
): Executable => startNode([...nodeFlags, main, ...args], env, options);

/** Runs a command until it exits. */
export const clientele = (args: string[], env: Environment = {}): Promise<Exit> =>
  startClientele(args, env).exited;

/** How many seconds this machine, under its current load, takes to start the executable. */
export async function bareStartSeconds(): Promise<number> {
  const start = performance.now();
  await clientele(['--version']);
  return (performance.now() - start) / 1000;
}

export interface Service extends Executable {
  url: string;
  port: number;
}

/** `clientele serve` on any free port, without rate limits; resolves when it listens. Its spool is removed with it. */
export async function startService(env: Environment): Promise<Service> {
  const folder = await temporaryFolder();
  const executable = startClientele(['serve'], {
    PORT: '0',
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
    CLIENTELE_RATE_READS: '0',
    CLIENTELE_RATE_SEARCHES: '0',
    ...env,
  });
  const exited = executable.exited.then(async (exit) => {
    await folder[Symbol.asyncDispose]();
    return exit;
  });
  const [, url, port] = await executable.said(/listening at (http:\/\/127\.0\.0\.1:(\d+))/);
  return {
    ...{ ...executable, exited, url: url!, port: Number(port) },
    async [Symbol.asyncDispose]() {
      await executable[Symbol.asyncDispose]();
      await exited;
    },
  };
}

/** Creates a key without the executable. */
export const makeKey = (databaseUrl: string): Promise<string> =>
  createAccessKey(databaseUrl, 'test');

/** A negative number is a process group: whether any of its processes is running. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
