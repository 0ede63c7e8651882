/** The real executable in its own process, and a client that sends one request at a time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAccessKey, freePort, waitUntilReady } from '@clientele/sandbox';
import { HttpClient } from './http-client.ts';
import { summarise, type Summary } from './statistics.ts';

const executable = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
/** Limits V8's young generation, which would otherwise take far more memory than the service needs. */
const nodeOptions = ['--max-semi-space-size=8'];

export interface Service {
  origin: string;
  headers: Record<string, string>;
  /** Current resident memory, in megabytes. */
  memoryMb(): Promise<number>;
  /** The CPU time that it has used so far, in seconds. */
  cpuSeconds(): Promise<number>;
  /** Returns the body and the time in milliseconds. */
  get(path: string): Promise<{ ms: number; body: string }>;
  /** Retries while requests time out. Returns the total time. */
  getWithRetries(path: string): Promise<{ ms: number; body: string }>;
  /** Sends requests one after the other. `before` runs before each of them and is not timed. */
  latency(path: string, times: number, before?: () => Promise<unknown>): Promise<Summary>;
  stop(): Promise<void>;
}

/** One key sends all requests. */
const withoutLimits = {
  CLIENTELE_RATE_READS: '0',
  CLIENTELE_RATE_SEARCHES: '0',
  CLIENTELE_CONCURRENCY: '0',
  LOG_LEVEL: 'warn',
};

export async function startService(
  url: string,
  env: Record<string, string> = {},
): Promise<Service> {
  const key = await createAccessKey(url, 'bench');
  const port = await freePort();
  const spool = await mkdtemp(join(tmpdir(), 'clientele-bench-spool-'));
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...nodeOptions, executable, 'serve'], {
    env: {
      ...process.env,
      ...withoutLimits,
      CLIENTELE_AUDIT_SPOOL: spool,
      DATABASE_URL: url,
      PORT: String(port),
      CLIENTELE_PUBLIC_ORIGIN: origin,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const headers = { authorization: `Bearer ${key}` };
  const client = new HttpClient(port, headers);
  const get = async (path: string) => {
    const start = performance.now();
    const { status, body } = await client.get(path);
    const ms = performance.now() - start;
    if (status !== 200) throw new Error(`${path} returned ${status}: ${body}`);
    return { ms, body };
  };
  const getWithRetries = async (path: string) => {
    const start = performance.now();
    for (let tries = 10; ; tries -= 1) {
      try {
        const { body } = await get(path);
        return { ms: performance.now() - start, body };
      } catch (error) {
        if (tries === 0 || !/returned 504/.test(String(error))) throw error;
      }
    }
  };
  await waitUntilReady(origin, { isRunning: () => child.exitCode === null, timeoutMs: 30_000 });
  return {
    origin,
    headers,
    get,
    getWithRetries,
    async latency(path, times, before) {
      const all: number[] = [];
      for (let i = 0; i < times; i += 1) {
        await before?.();
        all.push((await get(path)).ms);
      }
      return summarise(all);
    },
    async memoryMb() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_000;
    },
    cpuSeconds: () => cpuSecondsOf(child.pid!),
    async stop() {
      client.close();
      // The second signal stops the server without draining.
      child.kill('SIGTERM');
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(spool, { recursive: true, force: true });
    },
  };
}

/** The CPU time that a process has used so far, with nanoseconds; /proc/…/stat has it in hundredths of a second. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const tasks = `/proc/${pid}/task`;
  const threads = await readdir(tasks);
  const times = threads.map((id) => readFile(`${tasks}/${id}/schedstat`, 'utf8'));
  const total = (await Promise.all(times)).reduce((sum, text) => sum + Number.parseInt(text), 0);
  return total / 1e9;
}

/** The CPU time of the children of a process that have ended. */
export async function cpuSecondsOfEnded(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may have spaces: `cutime` and `cstime`, in hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(user) + Number(system)) / 100;
}
