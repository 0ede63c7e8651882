/** The bare engine, asked by pgbench with prepared statements: the yardstick. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { summarise, type Summary } from './statistics.ts';

const run = promisify(execFile);

export interface BareQuestion {
  sql: string;
  times: number;
  /** Planner settings that give the best plan for it. */
  settings?: Record<string, string>;
}

export async function askBareEngine(url: string, question: BareQuestion): Promise<Summary> {
  const { sql, times, settings = {} } = question;
  const folder = await mkdtemp(join(tmpdir(), 'clientele-pgbench-'));
  try {
    await writeFile(join(folder, 'question.sql'), `${sql.replaceAll(/\s+/g, ' ').trim()};\n`);
    const { hostname, port, username, password, pathname } = new URL(url);
    await run(
      'pgbench',
      [
        '--no-vacuum',
        '--protocol=prepared',
        '--client=1',
        `--transactions=${times}`,
        '--log',
        `--file=question.sql`,
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

/** The quickest of several ways to ask the same. */
export async function askBestPlan(url: string, ways: BareQuestion[]): Promise<Summary> {
  const answers: Summary[] = [];
  for (const way of ways) answers.push(await askBareEngine(url, way));
  return answers.reduce((best, answer) => (answer.p50 < best.p50 ? answer : best));
}
