/** Replication lag, and replication slots without a consumer. */
import {
  bytes,
  hidden,
  mustFix,
  ok,
  row,
  warning,
  type Check,
  type Circumstances,
  type Finding,
} from './finding.ts';

const tolerated = { seconds: 15, bytes: 64_000_000 };

export const replication: Check = {
  name: 'replication',
  async look(circumstances) {
    const { replica } = await row<{ replica: boolean }>(
      circumstances.client,
      'select pg_is_in_recovery() as replica',
    );
    return replica ? lookFromReplica(circumstances) : lookFromPrimary(circumstances);
  },
};

async function lookFromReplica({ client }: Circumstances): Promise<Finding[]> {
  const { paused, receiving, seconds } = await row<{
    paused: boolean;
    receiving: boolean;
    seconds: number | null;
  }>(
    client,
    `select pg_is_wal_replay_paused() as paused,
       exists (select from pg_stat_wal_receiver) as receiving,
       case when pg_last_wal_receive_lsn() is distinct from pg_last_wal_replay_lsn() then
         extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8
       end as seconds`,
  );
  if (paused) {
    return [
      mustFix(
        'Replay is paused on this replica: its data is stale.',
        'select pg_wal_replay_resume()',
      ),
    ];
  }
  if (!receiving) {
    return [
      mustFix(
        'This replica is not connected to a primary: its data is stale.',
        'Check primary_conninfo, and the logs of both servers.',
      ),
    ];
  }
  if (seconds !== null && seconds > tolerated.seconds) {
    const late = `This replica is ${Math.round(seconds)} s behind.`;
    return [warning(late, 'Check it for long queries and a slow disk.')];
  }
  return [ok('This replica is up to date.')];
}

async function lookFromPrimary({ client }: Circumstances): Promise<Finding[]> {
  const replicas = await client.query<{
    name: string;
    unseen: boolean;
    seconds: number;
    behind: number;
  }>(
    `select r.application_name as name, r.state is null as unseen,
       coalesce(extract(epoch from r.replay_lag), 0)::float8 as seconds,
       coalesce(pg_current_wal_lsn() - r.replay_lsn, 0)::float8 as behind
     from pg_stat_replication as r`,
  );
  const slots = await client.query<{ name: string; lost: boolean; kept: number }>(
    `select s.slot_name as name, s.wal_status = 'lost' as lost,
       coalesce(pg_current_wal_lsn() - s.restart_lsn, 0)::float8 as kept
     from pg_replication_slots as s
     where not s.active`,
  );
  const unseen = replicas.rows.filter((replica) => replica.unseen).map(({ name }) => name);
  const found = [
    ...(unseen.length > 0
      ? [hidden(`This login cannot see how far these replicas are behind: ${unseen.join(', ')}.`)]
      : []),
    ...replicas.rows
      .filter(({ seconds, behind }) => seconds > tolerated.seconds || behind > tolerated.bytes)
      .map(({ name, seconds, behind }) =>
        warning(
          `The replica ${name} is ${bytes(behind)} (${Math.round(seconds)} s) behind.`,
          'Run doctor on the replica. Check for paused replay, long queries, a slow disk or network.',
        ),
      ),
    ...slots.rows.map(({ name, lost, kept }) =>
      lost
        ? mustFix(
            `The replication slot ${name} no longer has the WAL that its replica needs.`,
            'Rebuild that replica from a new base backup.',
          )
        : warning(
            `Nothing reads the replication slot ${name}: it retains ${bytes(kept)} of WAL and will fill the disk.`,
            `Reconnect its replica, or: select pg_drop_replication_slot('${name}')`,
          ),
    ),
  ];
  const count = replicas.rows.length;
  return found.length > 0
    ? found
    : [ok(count === 0 ? 'No replicas.' : `Replicas up to date: ${count}.`)];
}
