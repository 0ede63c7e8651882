/**
 * Every answer that a client got is on record exactly once, whatever happens to instances and to the primary.
 * AUDIT_REQUESTS=10000 sends that many requests instead of a few hundred.
 */
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAudit } from '@clientele/server';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { makeKey, startService, type Service } from './setup/executable.ts';

const requests = Number(process.env['AUDIT_REQUESTS'] ?? 400);
const clients = 6;

/** Requests for random customers and pages, until as many as wanted have been answered. */
async function send(
  urlOf: () => string,
  key: string,
  delivered: Set<string>,
  wanted: number,
): Promise<number> {
  let refused = 0;
  while (delivered.size < wanted) {
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
    if (refused > 100 * wanted) throw new Error('nearly every request was refused');
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
  { timeout: 300_000 + 60 * requests },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await using admin = await createTestDatabase();
    await database.insert(
      Array.from({ length: 100 }, (_, i) => ({
        uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
        full_name: `Sample ${i}`,
        email_address: `s${i}@directory.example`,
        is_verified: false,
        total_orders: 0,
        lifetime_value_cents: 0,
        created_at: '2026-01-31T09:05:00.000Z',
      })),
    );
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
    const all = Array.from({ length: clients }, (_, i) =>
      send(() => instances[i % 2]!.url, key, delivered, requests),
    );
    let kills = 0;
    for (let turn = 0; delivered.size < requests; turn += 1) {
      await loseAudit(database, 100);
      const victim = turn % 2;
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
