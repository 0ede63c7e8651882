/** Whether the data of a standby is too old to serve. A primary is always fresh. */
import type { Lane } from './lane.ts';
import type { Statement } from './statement.ts';

/** How far replay may be behind what was received. */
const mostLagSeconds = 15;
/** How long a standby may be without a primary: a failover takes less, and reads continue during it. */
const mostDisconnectedMs = 30_000;

/** An idle primary makes nobody stale: lag counts only while something is received and not replayed. */
const replayState: Statement = {
  name: 'replay-state',
  text: `
    select r.standby,
      case when r.standby then pg_is_wal_replay_paused() else false end as paused,
      exists (select from pg_stat_wal_receiver) as receiving,
      case when r.standby and pg_last_wal_receive_lsn() is distinct from pg_last_wal_replay_lsn() then
        extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8
      end as lag
    from (select pg_is_in_recovery() as standby) as r`,
};

export class ReplicaFreshness {
  readonly #lane: Lane;
  #connectedAt = performance.now();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  async isStale(): Promise<boolean> {
    const [state] = await this.#lane.query<{
      standby: boolean;
      paused: boolean;
      receiving: boolean;
      lag: number | null;
    }>(replayState, []);
    const { standby, paused, receiving, lag } = state!;
    const now = performance.now();
    if (!standby || receiving) this.#connectedAt = now;
    if (paused || (lag ?? 0) > mostLagSeconds) return true;
    return now - this.#connectedAt > mostDisconnectedMs;
  }
}
