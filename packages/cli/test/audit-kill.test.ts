/**
 * Every answer that a client got is on record exactly once, whatever happens to instances and to the primary.
 * AUDIT_REQUESTS=10000 sends that many requests instead of a few hundred, and AUDIT_KILLS=100 goes on until so many
 * instances were killed.
 */
import { execFile } from 'node:child_process';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { verifyAudit } from '@clientele/directory';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { makeKey, startService, type Service } from './setup/executable.ts';

const requests = Number(process.env['AUDIT_REQUESTS'] ?? 400);
const leastKills = Number(process.env['AUDIT_KILLS'] ?? 3);
const clients = 6;
const run = promisify(execFile);

/** From then on, no file of the process can grow beyond so many bytes: a write that would is cut short, then fails. */
const limitFiles = (pid: number, bytes: number | 'unlimited'): Promise<unknown> =>
  run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
const canLimit = await run('prlimit', ['--version']).then(
  () => true,
  () => false,
);

const sampleCustomers = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    full_name: `Sample ${i}`,
    email_address: `s${i}@directory.example`,
    is_verified: false,
    total_orders: 0,
    lifetime_value_cents: 0,
    created_at: '2026-01-31T09:05:00.000Z',
  }));

/** Requests for random customers and pages, until as many as wanted have been answered. */
async function send(
  urlOf: () => string,
  key: string,
  delivered: Set<string>,
  isOver: () => boolean,
): Promise<number> {
  let refused = 0;
  while (!isOver()) {
    const n = delivered.size % 40;
    const path =
      n % 2 ? `/00000000-0000-4000-8000-${String(n).padStart(12, '0')}` : `?page=${1 + (n % 4)}`;
    try {
      const response = await fetch(`${urlOf()}/v3/customers${path}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(10_000),
      });
      await response.text();
      if (response.status === 200) delivered.add(response.headers.get('x-request-id')!);
      else refused += 1;
    } catch {
      refused += 1;
    }
    if (refused > 1_000 + 100 * delivered.size + 100 * requests)
      throw new Error('nearly every request was refused');
    if (n % 7 === 0) await sleep(2);
  }
  return refused;
}

/** The primary cannot record for a while: reads go on; or it is gone altogether. */
async function loseAudit(database: TestDatabase, ms: number): Promise<void> {
  const audit = 'execute on function clientele.append_audit';
  await database.query(`revoke ${audit} from clientele_reader`);
  await sleep(ms);
  await database.query(`grant ${audit} to clientele_reader`);
}

async function losePrimary(database: TestDatabase, admin: TestDatabase, ms: number): Promise<void> {
  await admin.query(`alter database ${database.name} allow_connections false`);
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = $1 and application_name like 'clientele %'`,
    [database.name],
  );
  await sleep(ms);
  await admin.query(`alter database ${database.name} allow_connections true`);
}

test(
  'answers of instances that are killed, while the primary comes and goes, are on record once',
  { timeout: 600_000 + 60 * requests + 10_000 * leastKills },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await using admin = await createTestDatabase();
    await database.insert(sampleCustomers(100));
    const key = await makeKey(database.url);
    const spool = folder.path('spool');
    const start = (): Promise<Service> =>
      startService({
        DATABASE_URL: database.url,
        CLIENTELE_AUDIT_SPOOL: spool,
        CLIENTELE_CONCURRENCY: '0',
        CLIENTELE_WARM_UP: 'off',
        LOG_LEVEL: 'info',
      });
    const instances = [await start(), await start()];
    const delivered = new Set<string>();
    let kills = 0;
    const isOver = (): boolean => delivered.size >= requests && kills >= leastKills;
    const all = Array.from({ length: clients }, (_, i) =>
      send(() => instances[i % 2]!.url, key, delivered, isOver),
    );
    for (let turn = 0; !isOver(); turn += 1) {
      const victim = Math.floor(2 * Math.random());
      // Its disk is full, now and then until it is killed.
      if (canLimit && turn % 2 === 0) {
        await limitFiles(instances[victim]!.pid, Math.floor(12_000 * Math.random()));
      }
      await loseAudit(database, 100);
      if (canLimit && Math.random() < 0.5) await limitFiles(instances[victim]!.pid, 'unlimited');
      // While entries are in the spool, or on their way to the primary.
      if (turn % 3 === 0) void loseAudit(database, 300).catch(() => undefined);
      await sleep(100 + 20 * (turn % 5));
      instances[victim]!.kill('SIGKILL');
      await instances[victim]!.exited;
      kills += 1;
      instances[victim] = await start();
      await losePrimary(database, admin, 200);
      await sleep(300);
    }
    const refused = (await Promise.all(all)).reduce((sum, each) => sum + each, 0);
    for (const instance of instances) instance.kill('SIGKILL');
    await Promise.all(instances.map(({ exited }) => exited));

    // What the dead have left is taken over by the next instance.
    const left = await readdir(spool);
    for (const name of left) await utimes(join(spool, name), 0, 0);
    await using last = await start();
    await expect.poll(() => readdir(spool), { timeout: 300_000 }).toEqual([]);
    const entries = await database.query<{ id: string; count: number }>(
      'select request_id as id, count(*)::int as count from clientele.audit_entries group by 1',
    );
    const counts = new Map(entries.map(({ id, count }) => [id, count]));
    const lost = [...delivered].filter((id) => !counts.has(id));
    const twice = entries.filter(({ count }) => count !== 1);
    process.stdout.write(
      `audit: ${delivered.size} answers delivered, ${refused} not, ${kills} kills, ${left.length} files left; ` +
        `${entries.length} entries, ${lost.length} lost, ${twice.length} twice\n`,
    );
    expect(lost, 'answers without an entry').toEqual([]);
    expect(twice, 'entries that are there twice').toEqual([]);
    const { problems } = await verifyAudit(await database.connect(), {});
    expect(problems).toEqual([]);
    last.kill('SIGKILL');
  },
);

test(
  'a rollout while the primary cannot record loses no entry if the old and the new instance share the spool',
  { timeout: 600_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await database.insert(sampleCustomers(100));
    const key = await makeKey(database.url);
    const spool = folder.path('spool');
    const start = (): Promise<Service> =>
      startService({
        DATABASE_URL: database.url,
        CLIENTELE_AUDIT_SPOOL: spool,
        CLIENTELE_CONCURRENCY: '0',
        CLIENTELE_WARM_UP: 'off',
        LOG_LEVEL: 'info',
      });
    const delivered: string[] = [];
    const ask = async ({ url }: Service): Promise<void> => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${url}/v3/customers?perPage=50`, { headers });
      expect(response.status, await response.text()).toBe(200);
      delivered.push(response.headers.get('x-request-id')!);
    };
    const old = await start();
    const audit = 'execute on function clientele.append_audit';
    await database.query(`revoke ${audit} from clientele_reader`);
    await Promise.all([ask(old), ask(old), ask(old)]);
    await using next = await start();
    await Promise.all([ask(old), ask(next)]);
    old.kill('SIGTERM');
    expect(await old.exited).toMatchObject({ code: 0 });
    expect(await readdir(spool), 'of the old and the new').toHaveLength(2);
    await database.query(`grant ${audit} to clientele_reader`);
    await expect.poll(() => readdir(spool), { timeout: 300_000 }).toEqual([]);
    next.kill('SIGKILL');
    await next.exited;
    const entries = await database.query<{ id: string }>(
      'select request_id as id from clientele.audit_entries',
    );
    expect(entries.map(({ id }) => id).toSorted()).toEqual(delivered.toSorted());
    expect((await verifyAudit(await database.connect(), {})).problems).toEqual([]);
  },
);

test.skipIf(!canLimit)(
  'a full disk while the primary is away: no answer without an entry, and back when the primary is',
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await database.insert(sampleCustomers(100));
    const key = await makeKey(database.url);
    const spool = folder.path('spool');
    const env = {
      DATABASE_URL: database.url,
      CLIENTELE_AUDIT_SPOOL: spool,
      CLIENTELE_CONCURRENCY: '0',
      CLIENTELE_WARM_UP: 'off',
      LOG_LEVEL: 'info',
    };
    const service = await startService(env);
    const delivered: string[] = [];
    const ask = async (): Promise<number> => {
      const response = await fetch(`${service.url}/v3/customers?perPage=50`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await response.text();
      if (response.status === 200) delivered.push(response.headers.get('x-request-id')!);
      return response.status;
    };
    const audit = 'execute on function clientele.append_audit';
    await database.query(`revoke ${audit} from clientele_reader`);
    await limitFiles(service.pid, 7_000);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i += 1) statuses.push(...(await Promise.all([ask(), ask()])));
    expect(new Set(statuses), 'some fit on the disk').toEqual(new Set([200, 503]));
    await database.query(`grant ${audit} to clientele_reader`);
    await service.said(/the primary records again who reads which customers/);
    expect(await ask(), 'although the disk is full').toBe(200);
    service.kill('SIGKILL');
    await service.exited;
    const entries = await database.query<{ id: string }>(
      'select request_id as id from clientele.audit_entries',
    );
    const recorded = new Set(entries.map(({ id }) => id));
    expect(delivered.filter((id) => !recorded.has(id))).toEqual([]);
    expect(await readdir(spool)).toEqual([]);
    expect((await verifyAudit(await database.connect(), {})).problems).toEqual([]);
  },
);
