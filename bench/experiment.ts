/** What experiments with a pool have in common: kill, wait, tell. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPg, type Pool, type Rows } from './driver-pools.ts';

/** Opens every connection of the pool and returns their backends. */
export async function warm(pool: Pool, max: number): Promise<number[]> {
  const connections = await Promise.all(Array.from({ length: max }, () => pool.take()));
  const pids: number[] = [];
  for (const connection of connections) {
    const [row] = await connection.query('select pg_backend_pid() as pid');
    pids.push(row!['pid'] as number);
    connection.release();
  }
  return pids;
}

export async function kill(url: string, pid: number): Promise<void> {
  await asAdmin(url, (admin) => admin.query('select pg_terminate_backend($1)', [pid]));
}

export async function asAdmin(url: string, ask: (admin: Pool) => Promise<Rows>): Promise<Rows> {
  const admin = openPg(url, 1);
  try {
    return await ask(admin);
  } finally {
    await admin.end();
  }
}

export async function failures(answers: Promise<unknown>[]): Promise<string> {
  const outcomes = await Promise.all(
    answers.map((answer) =>
      within(
        3_000,
        answer.then(() => undefined, told),
      ),
    ),
  );
  const failed = outcomes.filter((outcome) => outcome !== undefined);
  return [failed.length, ...new Set(failed)].join(', ');
}

export async function settles(work: Promise<unknown>): Promise<string> {
  return (
    (await within(
      3_000,
      work.then(() => undefined, told),
    )) ?? 'fine'
  );
}

function within(ms: number, work: Promise<string | undefined>): Promise<string | undefined> {
  return Promise.race([work, sleep(ms, `nothing within ${ms / 1_000} s`)]);
}

export async function timed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

export function told(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return code ?? message;
}
