/** Closed-loop HTTP load on a list of paths, with wrk if it is installed, else in this process. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface LoadOptions {
  origin: string;
  /** Requested in turn, repeatedly. */
  paths: string[];
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
}

export interface LoadResult {
  perSecond: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  /** The number of failed requests: error statuses and connection failures. */
  failed: number;
}

export type Load = (options: LoadOptions) => Promise<LoadResult>;

export async function findLoad(): Promise<{ name: string; load: Load }> {
  const wrk = await run('wrk', ['--version']).catch((error: { stdout?: string }) => error);
  return wrk.stdout?.startsWith('wrk')
    ? { name: 'wrk', load: loadWithWrk }
    : { name: 'node:http', load: loadWithNode };
}

async function loadWithWrk(options: LoadOptions): Promise<LoadResult> {
  const { origin, paths, connections, seconds, headers = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), 'clientele-bench-'));
  try {
    const script = join(folder, 'paths.lua');
    await writeFile(script, wrkScript(paths, headers), { mode: 0o600 });
    const { stdout } = await run('wrk', [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      '--timeout=60s',
      `--script=${script}`,
      origin,
    ]);
    return JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as LoadResult;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const wrkScript = (paths: string[], headers: Record<string, string>): string => `
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join('\n')}
local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local requests, turn = {}, 0
init = function()
  for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path) end
end
request = function()
  turn = turn % #requests + 1
  return requests[turn]
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('{"perSecond":%f,"p50":%f,"p99":%f,"failed":%d}',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end`;

async function loadWithNode(options: LoadOptions): Promise<LoadResult> {
  const { origin, paths, connections, seconds, headers = {} } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let failed = 0;
  let turn = 0;
  const request = (path: string): Promise<boolean> =>
    new Promise((resolve) => {
      get(origin + path, { agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode === 200));
      }).on('error', () => resolve(false));
    });
  const start = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - start < seconds * 1_000) {
      const sent = performance.now();
      if (!(await request(paths[turn++ % paths.length]!))) failed += 1;
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const elapsed = (performance.now() - start) / 1_000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number => latencies[Math.floor(latencies.length * share)]!;
  return {
    perSecond: latencies.length / elapsed,
    p50: percentile(0.5),
    p99: percentile(0.99),
    failed,
  };
}
