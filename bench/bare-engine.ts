/** Measures PostgreSQL alone, with pgbench and prepared statements, as the baseline. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { summarise, type Summary } from './statistics.ts';

const run = promisify(execFile);

export interface BareQuery {
  sql: string;
  times: number;
  /** Planner settings that give the best plan for the query. */
  settings?: Record<string, string>;
}

export async function measureBareEngine(url: string, query: BareQuery): Promise<Summary> {
  const { sql, times, settings = {} } = query;
  const folder = await mkdtemp(join(tmpdir(), 'clientele-pgbench-'));
  try {
    await writeFile(join(folder, 'query.sql'), `${sql.replaceAll(/\s+/g, ' ').trim()};\n`);
    const { hostname, port, username, password, pathname } = new URL(url);
    await run(
      'pgbench',
      [
        '--no-vacuum',
        '--protocol=prepared',
        '--client=1',
        `--transactions=${times}`,
        '--log',
        `--file=query.sql`,
      ],
      {
        cwd: folder,
        env: {
          ...process.env,
          PGHOST: hostname,
          PGPORT: port,
          PGUSER: username,
          PGPASSWORD: decodeURIComponent(password),
          PGDATABASE: pathname.slice(1),
          PGOPTIONS: Object.entries({ jit: 'off', ...settings })
            .map(([name, value]) => `-c ${name}=${value}`)
            .join(' '),
        },
      },
    );
    const logs = (await readdir(folder)).filter((name) => name.startsWith('pgbench_log'));
    const lines = (
      await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')))
    ).join('');
    // The third column is the latency in microseconds.
    return summarise(
      lines
        .trim()
        .split('\n')
        .map((line) => Number(line.split(' ')[2]) / 1_000),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The fastest of several plans for the same query. */
export async function measureBestPlan(url: string, plans: BareQuery[]): Promise<Summary> {
  const summaries: Summary[] = [];
  for (const plan of plans) summaries.push(await measureBareEngine(url, plan));
  return summaries.reduce((best, summary) => (summary.p50 < best.p50 ? summary : best));
}
