/** The progress of an import, stored in the same transaction as the customers it wrote. */
import type pg from 'pg';
import { ImportError } from './import-error.ts';
import type { Counts } from './upsert.ts';

export interface Tally extends Counts {
  read: number;
  rejected: number;
}

/** What a run has committed. */
export interface Checkpoint extends Tally {
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  bytes: number;
  line: number;
  rejectBytes: number;
}

/**
 * Allows one run per file at a time. After a kill, the lock is held until PostgreSQL notices that the
 * client is disconnected, so this waits.
 */
export async function lockFingerprint(client: pg.Client, fingerprint: string): Promise<void> {
  await client.query(`set lock_timeout = '30s'`);
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('clientele import ' || $1, 0))`, [
      fingerprint,
    ]);
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    throw new ImportError(
      'Another process is importing this file. Wait until it has finished, then try again.',
    );
  }
  await client.query('reset lock_timeout');
}

interface CheckpointRow {
  id: string;
  started_at: Date;
  [column: string]: unknown;
}

const counters = [
  'bytes',
  'line',
  'read',
  'inserted',
  'updated',
  'unchanged',
  'deleted',
  'rejected',
  'superseded',
  'reject_bytes',
] as const;

function toCheckpoint(row: CheckpointRow): Checkpoint {
  const { reject_bytes: rejectBytes, ...others } = Object.fromEntries(
    counters.map((name) => [name, Number(row[name])]),
  ) as Record<(typeof counters)[number], number>;
  return { ...others, rejectBytes, id: row.id, startedAt: row.started_at.getTime() };
}

export async function findCheckpoint(
  client: pg.Client,
  fingerprint: string,
): Promise<Checkpoint | undefined> {
  const { rows } = await client.query<CheckpointRow>(
    `select i.* from clientele.imports as i
     where i.fingerprint = $1 and i.finished_at is null
     order by i.id desc limit 1`,
    [fingerprint],
  );
  return rows[0] && toCheckpoint(rows[0]);
}

export async function newCheckpoint(client: pg.Client, fingerprint: string): Promise<Checkpoint> {
  const { rows } = await client.query<CheckpointRow>(
    'insert into clientele.imports (fingerprint) values ($1) returning *',
    [fingerprint],
  );
  return toCheckpoint(rows[0]!);
}

export async function saveCheckpoint(client: pg.Client, checkpoint: Checkpoint): Promise<void> {
  const values = { ...checkpoint, reject_bytes: checkpoint.rejectBytes };
  await client.query(
    `update clientele.imports
     set saved_at = now(), ${counters.map((name, i) => `${name} = $${i + 2}`).join(', ')}
     where id = $1`,
    [checkpoint.id, ...counters.map((name) => values[name])],
  );
}
