/** What holds locks on the table for long in practice: a count of everything, and a dump over a slow network. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient, type Postgres } from '@clientele/sandbox';
import { until } from '@clientele/sandbox/testing/cluster';
import { libpqEnvironment, succeeded } from './libpq.ts';

/** Reads customers for at least eight seconds. Resolves with their number. */
export const scan = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `/* drill scan */ select count(pg_sleep(0.002))::int as count
       from (select from customers limit 4000) as part`,
    );
    return rows[0]!.count;
  });

/** Runs pg_dump, whose output is not read for a while. Resolves with the bytes of a complete dump. */
export async function slowDump(postgres: Postgres, url: string, stallMs: number): Promise<number> {
  const command = join(postgres.binDir, 'pg_dump');
  const child = spawn(command, {
    env: libpqEnvironment(url),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = succeeded(command, child);
  await Promise.race([once(child.stdout, 'readable'), ended]);
  await sleep(stallMs);
  let bytes = 0;
  let end = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    end = (end + chunk.toString('latin1')).slice(-200);
  }
  await ended;
  if (!end.includes('PostgreSQL database dump complete')) throw new Error('the dump is incomplete');
  return bytes;
}

/** Resolves when both of them hold a lock on the table. */
export const untilReading = (url: string): Promise<void> =>
  withClient(url, (client) =>
    until('a scan and a dump read customers', 30_000, async () => {
      const { rows } = await client.query<{ readers: number }>(
        `select count(distinct a.pid)::int as readers
         from pg_locks as l join pg_stat_activity as a using (pid)
         where l.relation = 'public.customers'::regclass and l.mode = 'AccessShareLock' and l.granted
           and (a.application_name = 'pg_dump' or a.query like '/* drill scan */%')`,
      );
      return rows[0]!.readers === 2;
    }),
  );
