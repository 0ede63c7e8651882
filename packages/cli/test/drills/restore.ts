/**
 * Two ways back from a lost database, each timed until an instance is ready: a dump into another cluster, and
 * pgBackRest to the moment before a bad delete. Both must leave the doctor content and the export unchanged,
 * byte by byte. An instance runs through the recovery, and must not use what it has cached of the lost history.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccessKey, databaseUrl, findPostgres } from '@clientele/sandbox';
import { giveTo, unprivilegedAccount } from '@clientele/sandbox/testing/cluster';
import { startWithCustomers } from '../../../../bench/customers-database.ts';
import type { Bars } from './bars.ts';
import { libpqEnvironment, runProgram } from './libpq.ts';
import { exportOf, type RestoreDrill } from './operator.ts';
import { recoverMoment } from './recover-moment.ts';
import { restoreDump } from './restore-dump.ts';

/** From this number on, generated customers are kept for the next run. */
const keptFrom = 100_000;

export async function drillRestore(bars: Bars, customers: number): Promise<void> {
  const postgres = (await findPostgres({ major: 15 })).find(({ source }) => source === 'system');
  if (!postgres)
    throw new Error('Install PostgreSQL 15 with pg_dump: apt-get install postgresql-15');
  const folder = await mkdtemp('/var/tmp/clientele-drill-');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const account = await unprivilegedAccount();
  if (account) await giveTo(account, folder);
  const drill = { bars, postgres, folder, customers };
  const dump = join(folder, 'dump');
  const { key, exported } = await dumpSource(drill, dump);
  const restored = await restoreDump(drill, { dump, key, exported });
  await rm(dump, { recursive: true });
  await recoverMoment(drill, { ...restored, key, account });
  await rm(folder, { recursive: true, force: true });
}

/** The database that will be lost, its dump, and what it contained. */
async function dumpSource({ bars, postgres, folder, customers }: RestoreDrill, dump: string) {
  const source = await startWithCustomers(customers, bars.say, { reuse: customers >= keptFrom });
  try {
    const key = await createAccessKey(source.url, 'drill');
    const exported = await exportOf(source.url, folder);
    bars.say(`exported ${exported.bytes} bytes, SHA-256 ${exported.sha256}`);
    // A table of the generator says that its work is complete.
    const options = ['--format=directory', '--jobs=2', '--exclude-table=public.bench_complete'];
    await runProgram(join(postgres.binDir, 'pg_dump'), [...options, `--file=${dump}`], {
      env: libpqEnvironment(databaseUrl(source.url, 'postgres')),
    });
    bars.say('dumped');
    return { key, exported };
  } finally {
    await source.stop();
  }
}
