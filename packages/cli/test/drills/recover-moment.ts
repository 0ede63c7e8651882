/**
 * Point-in-time recovery. The cluster is backed up while customers are written; then somebody deletes them all.
 * The recovered cluster takes the place of the damaged one, at the same port, under an instance that still runs
 * and has seen the delete.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivatePostgres, waitUntilReady, withClient } from '@clientele/sandbox';
import { giveTo, until, type Account } from '@clientele/sandbox/testing/cluster';
import { startService, type Service } from '../setup/executable.ts';
import { CountedWriter } from './counted-writer.ts';
import { libpqEnvironment } from './libpq.ts';
import {
  compareExports,
  consultDoctor,
  exportOf,
  type Exported,
  type RestoreDrill,
} from './operator.ts';
import { setUpPgBackRest, type PgBackRest } from './pgbackrest.ts';
import { longestSeconds, settings } from './restore-dump.ts';
import { compareTotals } from './totals.ts';

interface Damaged {
  /** The last moment before the delete, as PostgreSQL writes it. */
  moment: string;
  exported: Exported;
}

const searches = ['', 'written'];

export async function recoverMoment(
  drill: RestoreDrill,
  given: { dataDir: string; url: string; key: string; account: Account | undefined },
): Promise<void> {
  const { bars, postgres, folder } = drill;
  const { dataDir, url, key, account } = given;
  const { port: written, username: user } = new URL(url);
  const port = Number(written);
  const backRest = await setUpPgBackRest(folder, { dataDir, port, user }, account);
  const archived = { ...settings, ...backRest.settings };
  const damaged = await startPrivatePostgres({ postgres, dataDir, port, settings: archived });
  let service: Service | undefined;
  try {
    service = await startService({ DATABASE_URL: url });
    const { moment, exported } = await damage(drill, backRest, { url, key, service });
    await damaged.stop();
    const started = performance.now();
    const recovered = join(folder, 'recovered');
    await mkdir(recovered, { mode: 0o700 });
    if (account) await giveTo(account, recovered);
    const target = ['--type=time', `--target=${moment}`, '--target-action=promote'];
    await backRest.run('restore', [`--pg1-path=${recovered}`, ...target], libpqEnvironment(url));
    const cluster = await startPrivatePostgres({ postgres, dataDir: recovered, port, settings });
    try {
      await waitUntilReady(service.url, { isRunning: () => true, timeoutMs: 60_000 });
      const seconds = (performance.now() - started) / 1_000;
      bars.say(`ready ${seconds.toFixed(1)} s after the recovery to ${moment} began`);
      bars.atMost('from the backup to ready', seconds, longestSeconds, ' s');
      await judgeRecovered(drill, { url, key, service, exported });
    } finally {
      await cluster.stop();
    }
  } finally {
    await service?.[Symbol.asyncDispose]();
    await damaged.stop();
  }
}

/** Backs up, writes, and deletes. */
async function damage(
  { bars, folder }: RestoreDrill,
  backRest: PgBackRest,
  { url, key, service }: { url: string; key: string; service: Service },
): Promise<Damaged> {
  const env = libpqEnvironment(url);
  await backRest.run('stanza-create', [], env);
  await backRest.run('check', [], env);
  {
    await using writer = await CountedWriter.start(url);
    await backRest.run('backup', ['--type=full'], env);
    const meanwhile = writer.writes;
    bars.say(`backed up, with ${meanwhile} writes meanwhile`);
    const isEnough = async (): Promise<boolean> => writer.writes >= meanwhile + 100;
    await until('customers are written after the backup', 60_000, isEnough);
  }
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ moment: string }>(
      'select clock_timestamp()::text as moment',
    );
    const exported = await exportOf(url, folder);
    const before = await compareTotals(url, service.url, key, searches);
    await sleep(1_000);
    const deleted = await client.query('delete from customers');
    const after = await compareTotals(url, service.url, key, searches);
    bars.say(`deleted ${deleted.rowCount} customers`);
    const differences = [...before.differences, ...after.differences];
    bars.none('wrong totals before the recovery', differences, before.compared + after.compared);
    const switched = await client.query<{ wal: string }>(
      'select pg_walfile_name(pg_switch_wal()) as wal',
    );
    await until('the log is archived', 120_000, async () => {
      const archiver = await client.query<{ done: boolean }>(
        'select last_archived_wal >= $1 as done from pg_stat_archiver',
        [switched.rows[0]!.wal],
      );
      return archiver.rows[0]!.done;
    });
    return { moment: rows[0]!.moment, exported };
  });
}

async function judgeRecovered(
  drill: RestoreDrill,
  given: { url: string; key: string; service: Service; exported: Exported },
): Promise<void> {
  const { bars } = drill;
  const { url, key, service, exported } = given;
  const recovered = await compareTotals(url, service.url, key, searches);
  await compareExports(drill, url, exported, 'after the recovery');
  await consultDoctor(bars, url, 'after the recovery');
  // The new history uses transaction ids again that the instance has seen in the lost one.
  {
    await using writer = await CountedWriter.start(url);
    await until('customers are written', 60_000, async () => writer.writes >= 100);
  }
  const written = await compareTotals(url, service.url, key, searches);
  await using fresh = await startService({ DATABASE_URL: url });
  await waitUntilReady(fresh.url, { isRunning: () => true, timeoutMs: 60_000 });
  const other = await compareTotals(url, fresh.url, key, searches);
  const all = [recovered, written, other];
  bars.none(
    'wrong totals after the recovery',
    all.flatMap(({ differences }) => differences),
    all.reduce((sum, { compared }) => sum + compared, 0),
  );
}
