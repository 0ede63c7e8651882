/** How far replicas are behind, and what waits for those that are gone. */
import {
  bytes,
  mend,
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
    return [mend('This replica is paused: it does not change.', 'select pg_wal_replay_resume()')];
  }
  if (!receiving) {
    return [
      mend(
        'This replica is connected to no primary: it does not change.',
        'Look at primary_conninfo, and at the log of both.',
      ),
    ];
  }
  if (seconds !== null && seconds > tolerated.seconds) {
    const late = `This replica is ${Math.round(seconds)} s behind.`;
    return [warning(late, 'Look for long queries on it and for a slow disk.')];
  }
  return [ok('A replica, up to date.')];
}

async function lookFromPrimary({ client }: Circumstances): Promise<Finding[]> {
  const replicas = await client.query<{ name: string; seconds: number; behind: number }>(
    `select r.application_name as name,
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
  const found = [
    ...replicas.rows
      .filter(({ seconds, behind }) => seconds > tolerated.seconds || behind > tolerated.bytes)
      .map(({ name, seconds, behind }) =>
        warning(
          `The replica ${name} is ${bytes(behind)}, ${Math.round(seconds)} s, behind.`,
          'Run doctor on it. Look for a paused replay, long queries, a slow disk or network.',
        ),
      ),
    ...slots.rows.map(({ name, lost, kept }) =>
      lost
        ? mend(`The slot ${name} lost what its reader needs.`, 'Make that replica anew.')
        : warning(
            `The slot ${name} has no reader and keeps ${bytes(kept)} of log: the disk fills up.`,
            `Start its reader, or: select pg_drop_replication_slot('${name}')`,
          ),
    ),
  ];
  const count = replicas.rows.length;
  return found.length > 0 ? found : [ok(count === 0 ? 'No replicas.' : `${count} up to date.`)];
}
