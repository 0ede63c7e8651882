/** The real executable, as its own process, and a client that asks it one thing after another. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { insertKey, makeAccessKey } from '@clientele/server';
import { scopes } from '@clientele/contract';
import { freePort } from '@clientele/sandbox';
import pg from 'pg';
import { HttpClient } from './http-client.ts';
import { summarise, type Summary } from './statistics.ts';

const executable = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

export interface Service {
  origin: string;
  headers: Record<string, string>;
  /** Resident memory now, in megabytes. */
  memoryMb(): Promise<number>;
  /** Milliseconds, and the body. */
  ask(path: string): Promise<{ ms: number; body: string }>;
  /** Asks again where the answer takes longer than one request may wait. The time of all together. */
  askPatiently(path: string): Promise<{ ms: number; body: string }>;
  /** One request after the other; `before` each of them, untimed. */
  latency(path: string, times: number, before?: () => Promise<unknown>): Promise<Summary>;
  stop(): Promise<void>;
}

export async function startService(
  url: string,
  env: Record<string, string> = {},
): Promise<Service> {
  const key = await makeKey(url);
  const port = await freePort();
  const child = spawn(process.execPath, [executable, 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      PORT: String(port),
      CLIENTELE_RATE_READS: '0',
      CLIENTELE_RATE_SEARCHES: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${key}` };
  const client = new HttpClient(port, headers);
  const ask = async (path: string) => {
    const start = performance.now();
    const { status, body } = await client.get(path);
    const ms = performance.now() - start;
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    return { ms, body };
  };
  const askPatiently = async (path: string) => {
    const start = performance.now();
    for (let tries = 10; ; tries -= 1) {
      try {
        const { body } = await ask(path);
        return { ms: performance.now() - start, body };
      } catch (error) {
        if (tries === 0 || !/answered 504/.test(String(error))) throw error;
      }
    }
  };
  await untilReady(child, () => ask('/readyz'));
  return {
    origin,
    headers,
    ask,
    askPatiently,
    async latency(path, times, before) {
      const all: number[] = [];
      for (let i = 0; i < times; i += 1) {
        await before?.();
        all.push((await ask(path)).ms);
      }
      return summarise(all);
    },
    async memoryMb() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_000;
    },
    async stop() {
      client.close();
      child.kill('SIGTERM');
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function makeKey(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const made = makeAccessKey();
    await insertKey(client, made, 'bench', scopes);
    return made.key;
  } finally {
    await client.end();
  }
}

async function untilReady(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 300; i += 1) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    if (
      await ask().then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
  throw new Error('the server did not become ready');
}
