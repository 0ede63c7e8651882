/** What we lean on besides speed, tried out on both drivers: each row is an experiment. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { openPg, openPostgres, type Open } from './driver-pools.ts';
import { asAdmin, failures, kill, settles, timed, told, warm } from './experiment.ts';

const drivers: Record<string, Open> = {
  pg: openPg,
  postgres: openPostgres({}),
  'postgres, max_pipeline 0': openPostgres({ max_pipeline: 0 }),
};

const experiments: Record<string, (open: Open, url: string) => Promise<string>> = {
  'Pool of 2, one slow query: of 20 quick ones, how many waited for it': behindASlowQuery,
  'CPU µs a query, 16 at once on a pool of 4: first 24,000, last of 192,000': steadyLoad,
  'Pool of 2, one backend killed, 5 times: of 50 queries under way failed': killedUnderWay,
  'Idle backends killed: of 10 queries then failed': killedIdle,
  'Backend killed under a query, then `end()`': endAfterKill,
  'Backend of a reserved connection killed, released: the next two queries': releaseAfterKill,
  'Query cancelled while its connection opens: the next query': earlyCancel,
  'Query cancelled as it ends, 300 times: next queries hit instead': lateCancel,
  'After a query that failed amid its rows, one with 1 row gives': afterFailureAmidRows,
  'Server refuses connections: slowest of 6 errors in a row': refused,
  'Column added under a prepared `select *`': changedSchema,
  'Name of a prepared statement': statementName,
  'plan_cache_mode and role from the URL': sessionSettings,
  'int8, unless told otherwise': int8,
  'Bind values in an error object': valuesInErrors,
  'A notice of the server, unless told otherwise': notices,
};

export async function describeBehaviour(url: string, say: (line: string) => void): Promise<string> {
  const names = Object.keys(drivers);
  const lines = [`| Experiment | ${names.join(' | ')} |`, `|---${'|---'.repeat(names.length)}|`];
  for (const [title, experiment] of Object.entries(experiments)) {
    say(title);
    const cells: string[] = [];
    for (const open of Object.values(drivers)) {
      cells.push(await experiment(open, url).catch((error: unknown) => `error: ${told(error)}`));
    }
    lines.push(`| ${title} | ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

async function behindASlowQuery(open: Open, url: string): Promise<string> {
  const pool = open(url, 2);
  await warm(pool, 2);
  const slow = pool.query('select pg_sleep(1)');
  const waits = await Promise.all(
    Array.from({ length: 20 }, () => timed(pool.query('select 1 as x'))),
  );
  await slow;
  await pool.end();
  return String(waits.filter((wait) => wait > 500).length);
}

async function steadyLoad(open: Open, url: string): Promise<string> {
  const pool = open(url, 4);
  const costs: number[] = [];
  for (let i = 0; i < 8; i++) {
    const before = process.cpuUsage();
    const client = async (): Promise<void> => {
      for (let asked = 0; asked < 1_500; asked++) await pool.query('select $1::int as x', [1]);
    };
    await Promise.all(Array.from({ length: 16 }, client));
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 24_000);
  }
  await pool.end();
  return `${costs[0]!.toFixed(0)}, ${costs.at(-1)!.toFixed(0)}`;
}

async function killedUnderWay(open: Open, url: string): Promise<string> {
  const pool = open(url, 2);
  await warm(pool, 2);
  const outcomes: Promise<unknown>[] = [];
  for (let i = 0; i < 5; i++) {
    const batch = Array.from({ length: 10 }, () => pool.query('select pg_sleep(0.2)'));
    const settled = Promise.allSettled(batch);
    outcomes.push(...batch);
    await sleep(100);
    const [victim] = await asAdmin(url, (admin) =>
      admin.query(`select pid from pg_stat_activity where query = 'select pg_sleep(0.2)' limit 1`),
    );
    await kill(url, victim!['pid'] as number);
    await settled;
  }
  return failures(outcomes);
}

async function killedIdle(open: Open, url: string): Promise<string> {
  const pool = open(url, 2);
  const pids = await warm(pool, 2);
  for (const pid of pids) await kill(url, pid);
  await sleep(100);
  const failed = await failures(Array.from({ length: 10 }, () => pool.query('select 1 as x')));
  await pool.end();
  return failed;
}

async function endAfterKill(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  const [pid] = await warm(pool, 1);
  const slow = pool.query('select pg_sleep(10)').catch(() => undefined);
  await sleep(100);
  await kill(url, pid!);
  await slow;
  return settles(pool.end());
}

async function releaseAfterKill(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  const connection = await pool.take();
  const [{ pid }] = (await connection.query('select pg_backend_pid() as pid')) as [{ pid: number }];
  const slow = connection.query('select pg_sleep(10)').catch(() => undefined);
  await sleep(100);
  await kill(url, pid);
  await slow;
  // A driver that throws where nobody can catch would end the process.
  let uncaught: Error | undefined;
  const note = (error: Error): void => {
    uncaught = error;
  };
  process.on('uncaughtException', note);
  connection.release();
  const first = await settles(pool.query('select 1 as x'));
  const second = await settles(pool.query('select 1 as x'));
  process.off('uncaughtException', note);
  return `${first}; ${second}${uncaught ? `; uncaught ${uncaught.name}` : ''}`;
}

async function earlyCancel(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  await pool.cancelled('select pg_sleep(0.5)', 0);
  return settles(pool.query('select 1 as x'));
}

async function lateCancel(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  await warm(pool, 1);
  let hit = 0;
  for (let i = 0; i < 300; i++) {
    // Ends after 2 ms, and is cancelled after 1.5 to 2.5.
    await pool.cancelled('select pg_sleep(0.002)', 1.5 + (i % 10) / 10);
    await pool.query('select pg_sleep(0.003)').catch(() => {
      hit += 1;
    });
  }
  await pool.end();
  return String(hit);
}

async function afterFailureAmidRows(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  await pool
    .query('select 1 / (4 - i) as x from generate_series(1, $1::int) as i', [9])
    .catch(() => undefined);
  const rows = await pool.query('select $1::text as x', ['only']);
  await pool.end();
  return `${rows.length}, the first ${inspect(rows[0])}`;
}

async function refused(open: Open): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const pool = open(`postgres://nobody@127.0.0.1:${port}/nothing`, 1);
  const waits: number[] = [];
  for (let i = 0; i < 6; i++) {
    waits.push(await timed(pool.query('select 1 as x').catch(() => [])));
  }
  return `${Math.max(...waits).toFixed(0)} ms`;
}

async function changedSchema(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  await pool.query('create table public.bench_shape as select 1 as a');
  const select = () => pool.query('select * from public.bench_shape where a = $1', [1]);
  await select();
  await pool.query('alter table public.bench_shape add b int');
  const outcome = await select().then(
    ([row]) => `answers with ${Object.keys(row!).join(', ')}`,
    (error: unknown) => told(error),
  );
  await pool.query('drop table public.bench_shape');
  await pool.end();
  return outcome;
}

async function statementName(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  await pool.query('select $1::int as x', [1]);
  const rows = await pool.query('select name from pg_prepared_statements order by 1 limit $1', [1]);
  await pool.end();
  return String(rows[0]?.['name']);
}

async function sessionSettings(open: Open, url: string): Promise<string> {
  const target = new URL(url);
  target.searchParams.set(
    'options',
    '-c role=clientele_reader -c plan_cache_mode=force_custom_plan',
  );
  const pool = open(target.href, 1);
  const [row] = await pool.query(
    `select current_setting('plan_cache_mode') as mode, current_user::text as role`,
  );
  await pool.end();
  return Object.values(row!).join(', ');
}

async function int8(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  const [row] = await pool.query('select 1::int8 as x');
  await pool.end();
  return typeof row!['x'];
}

async function valuesInErrors(open: Open, url: string): Promise<string> {
  const pool = open(url, 1);
  const error = await pool.query('select 1 / 0 as x where $1::text is not null', ['canary']).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await pool.end();
  if (inspect(error).includes('canary')) return 'yes';
  return inspect(error, { showHidden: true }).includes('canary') ? 'yes, hidden properties' : 'no';
}

async function notices(open: Open, url: string): Promise<string> {
  const pool = open(url, 1, { notices: true });
  const write = process.stdout.write.bind(process.stdout);
  let printed = '';
  process.stdout.write = (chunk: string | Uint8Array) => (printed += String(chunk)).length > 0;
  try {
    await pool.query(`do $$ begin raise notice 'canary'; end $$`);
  } finally {
    process.stdout.write = write;
  }
  await pool.end();
  return printed.includes('canary') ? 'printed on standard output' : 'not printed';
}
