/** A dump into another cluster. */
import { join } from 'node:path';
import { databaseUrl, startPrivatePostgres, waitUntilReady, withClient } from '@clientele/sandbox';
import { clientele, startService } from '../setup/executable.ts';
import { httpGet } from '../setup/load.ts';
import { libpqEnvironment, runProgram } from './libpq.ts';
import {
  compareExports,
  consultDoctor,
  migrate,
  type Exported,
  type RestoreDrill,
} from './operator.ts';

export const longestSeconds = 300;

/** Ordinary values for a machine with 8 GB of memory or more. */
export const settings = {
  shared_buffers: '1GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
};

/** Roles belong to the cluster, and settings of a database are not in a dump without --create. */
const beforeRestore = `
  create role clientele_reader nologin;
  create role clientele_writer nologin;
  create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`;

interface Dumped {
  dump: string;
  /** A key of the lost database. */
  key: string;
  exported: Exported;
}

/** Stops the cluster in the end. */
export async function restoreDump(
  drill: RestoreDrill,
  dumped: Dumped,
): Promise<{ dataDir: string; url: string }> {
  const { bars, postgres, folder, customers } = drill;
  const dataDir = join(folder, 'restored');
  const cluster = await startPrivatePostgres({ postgres, dataDir, settings });
  const url = databaseUrl(cluster.url, 'clientele');
  try {
    const started = performance.now();
    for (const statement of beforeRestore.split(';')) {
      await withClient(cluster.url, (client) => client.query(statement));
    }
    const restore = join(postgres.binDir, 'pg_restore');
    const options = ['--exit-on-error', '--jobs=2', '--dbname=clientele'];
    await runProgram(restore, [...options, dumped.dump], { env: libpqEnvironment(url) });
    bars.say('restored');
    const refused = await clientele(['serve'], { DATABASE_URL: url, PORT: '0' });
    bars.say(refused.stderr.trim());
    const isRefused =
      refused.code === 1 && refused.stderr.includes('restored from another cluster');
    bars.equal('serve refuses the dump before migrate', isRefused, true);
    await migrate(url);
    await withClient(url, (client) => client.query('vacuum analyze customers'));
    await using service = await startService({ DATABASE_URL: url });
    await waitUntilReady(service.url, { isRunning: () => true, timeoutMs: 60_000 });
    const seconds = (performance.now() - started) / 1_000;
    bars.say(`ready ${seconds.toFixed(1)} s after the restore began`);
    bars.atMost('from the dump to ready', seconds, longestSeconds, ' s');
    const { status, body } = await httpGet(`${service.url}/v3/customers`, dumped.key);
    const total = `${status}, total ${body.pagination?.total}`;
    bars.equal('the list with a key of the lost database', total, `200, total ${customers}`);
    await consultDoctor(bars, url, 'after the dump');
    await compareExports(drill, url, dumped.exported, 'after the dump');
    return { dataDir, url };
  } finally {
    await cluster.stop();
  }
}
