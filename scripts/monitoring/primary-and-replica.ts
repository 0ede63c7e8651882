/** A private PostgreSQL and a replica that streams from it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres, startPrivatePostgres, type PrivatePostgres } from '@clientele/sandbox';

const run = promisify(execFile);

export interface PrimaryAndReplica extends AsyncDisposable {
  /** Of the primary. */
  url: string;
  /** Of both, as an instance names them. */
  nodes: string;
  stop(): Promise<void>;
}

export async function startPrimaryAndReplica(home: string): Promise<PrimaryAndReplica> {
  // Only the distribution's PostgreSQL has pg_basebackup.
  const postgres = (await findPostgres()).find(({ source }) => source === 'system');
  if (!postgres) throw new Error('PostgreSQL is not installed on this system');
  const servers: PrivatePostgres[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers.toReversed()) await server.stop('immediate');
  };
  try {
    const primary = await startPrivatePostgres({ postgres, settings: { wal_keep_size: '1GB' } });
    servers.push(primary);
    const { username, password, host, hostname, port } = new URL(primary.url);
    const dataDir = join(home, 'replica');
    const connection = ['-h', hostname, '-p', port, '-U', username];
    const env = { ...process.env, PGPASSWORD: password };
    const copy = ['-D', dataDir, '-X', 'stream', '-c', 'fast', '--write-recovery-conf'];
    await run(join(postgres.binDir, 'pg_basebackup'), [...connection, ...copy], { env });
    const replica = await startPrivatePostgres({ postgres, dataDir, settings: { fsync: false } });
    servers.push(replica);
    const nodes = primary.url.replace(host, `${host},${new URL(replica.url).host}`);
    return { url: primary.url, nodes, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
