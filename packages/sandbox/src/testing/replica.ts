/** A primary and its streaming replica, each a private cluster. */
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate, readMigrations } from '@clientele/directory';
import type { Postgres } from '../private-postgres/find-postgres.ts';
import {
  startPrivatePostgres,
  type PrivatePostgres,
} from '../private-postgres/private-postgres.ts';

type Settings = Record<string, string | number | boolean>;

export interface Replica extends AsyncDisposable {
  replica: PrivatePostgres;
  url: string;
}

export interface ReplicatedPostgres extends AsyncDisposable {
  primary: PrivatePostgres;
  replica: PrivatePostgres;
  /** The same migrated database on the primary and on the replica. */
  primaryUrl: string;
  replicaUrl: string;
}

export async function startReplicatedPostgres(
  postgres: Postgres,
  settings: { primary?: Settings; replica?: Settings } = {},
): Promise<ReplicatedPostgres> {
  const primary = await startPrivatePostgres({
    postgres,
    settings: { max_prepared_transactions: 20, wal_keep_size: '1GB', ...settings.primary },
  });
  let replica: Replica | undefined;
  const stop = async (): Promise<void> => {
    await replica?.[Symbol.asyncDispose]();
    await primary.stop();
  };
  try {
    await createDirectory(primary);
    replica = await startReplica(postgres, primary, settings.replica);
    return {
      primary,
      replica: replica.replica,
      primaryUrl: databaseUrl(primary),
      replicaUrl: replica.url,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the migrated database. */
export async function createDirectory(primary: PrivatePostgres): Promise<string> {
  const admin = await connect(primary.url);
  await admin.query(
    `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`,
  );
  await admin.end();
  const owner = await connect(databaseUrl(primary));
  await migrate(owner, await readMigrations());
  await owner.end();
  return databaseUrl(primary);
}

/** Adds a replica to a running primary, which knows it by the name. */
export async function startReplica(
  postgres: Postgres,
  primary: PrivatePostgres,
  settings: Settings = {},
  name = 'replica',
): Promise<Replica> {
  const home = await mkdtemp(join(tmpdir(), 'clientele-replica-'));
  // When root starts it, the replica runs under another account.
  await chmod(home, 0o711);
  const client = await connect(primary.url);
  try {
    const dataDir = join(home, 'data');
    await copyRunning(client, primary.dataDir, dataDir);
    const replica = await startPrivatePostgres({
      postgres,
      dataDir,
      settings: {
        max_prepared_transactions: 20,
        fsync: false,
        primary_conninfo: `${toConninfo(primary.url)} application_name=${name}`,
        ...settings,
      },
    });
    return {
      replica,
      url: databaseUrl(replica),
      [Symbol.asyncDispose]: async () => {
        await replica.stop('immediate');
        await rm(home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Waits until a replica shows what its primary has committed by now. Numbers of customers may agree before. */
export async function caughtUp(replicaUrl: string, primaryUrl: string): Promise<void> {
  const primary = await connect(primaryUrl);
  const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn');
  await primary.end();
  const reached = 'select pg_last_wal_replay_lsn() >= $1 as reached';
  for (let isReached = false; !isReached;) {
    // Replay may end the connection: then the next one is asked.
    const replica = new pg.Client({ connectionString: replicaUrl });
    replica.on('error', () => undefined);
    try {
      await replica.connect();
      const found = await replica.query<{ reached: boolean }>(reached, [rows[0]!.lsn]);
      isReached = found.rows[0]!.reached;
    } catch {
      await sleep(20);
    }
    await replica.end().catch(() => undefined);
  }
}

/** Does what pg_basebackup does, which not every installation includes. */
export async function copyRunning(client: pg.Client, from: string, to: string): Promise<void> {
  await client.query(`select pg_backup_start('replica', true)`);
  // The replica fetches the WAL itself, and must not find the primary's postmaster.pid.
  const skipped = new Set(['postmaster.pid', 'postmaster.opts', 'clientele.log']);
  await cp(from, to, {
    recursive: true,
    filter: (path) => {
      const name = relative(from, path);
      return !skipped.has(name) && !/^(pg_wal|pg_replslot|pg_stat_tmp)\/./.test(name);
    },
  });
  const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop(false)');
  await writeFile(join(to, 'backup_label'), rows[0]!.labelfile);
  await writeFile(join(to, 'standby.signal'), '');
}

function databaseUrl({ url }: PrivatePostgres): string {
  const target = new URL(url);
  target.pathname = '/clientele';
  return target.href;
}

export function toConninfo(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}
