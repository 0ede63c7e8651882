/** The progress of an import, stored in the same transaction as the customers it wrote. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { noCounts, type Superseded, type Tally } from './counts.ts';
import { ImportError } from './import-error.ts';

/** What the database said about a record, by line. */
export type Refused = Readonly<Record<string, string>>;

/** What a run has committed. */
export interface Checkpoint extends Tally {
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  bytes: number;
  line: number;
  rejectBytes: number;
  /** Of the end of the list of rejected records; null if it is no file. */
  rejectHash: string | null;
  /** Of a file: which records only the database refused. */
  refused: Refused;
  /** Of a feed in a file: the hash of its first `bytes` bytes. */
  prefixHash: string | null;
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
  await client.query('set lock_timeout = 0');
}

interface CheckpointRow {
  id: string;
  started_at: Date;
  prefix_hash: string | null;
  reject_hash: string | null;
  superseded_by: Superseded;
  refused: Refused;
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
  'suppressed',
  'reject_bytes',
] as const;

function toCheckpoint(row: CheckpointRow): Checkpoint {
  const { reject_bytes: rejectBytes, ...others } = Object.fromEntries(
    counters.map((name) => [name, Number(row[name])]),
  ) as Record<(typeof counters)[number], number>;
  return {
    ...others,
    rejectBytes,
    rejectHash: row.reject_hash,
    supersededBy: { ...noCounts.supersededBy, ...row.superseded_by },
    prefixHash: row.prefix_hash,
    refused: row.refused,
    id: row.id,
    startedAt: row.started_at.getTime(),
  };
}

interface Found {
  checkpoint: Checkpoint;
  /** Other files were imported since. */
  overtaken: boolean;
}

/** Of an unfinished run that can be resumed. */
export async function findCheckpoint(
  client: pg.Client,
  fingerprint: string,
): Promise<Found | undefined> {
  const { rows } = await client.query<CheckpointRow & { overtaken: boolean }>(
    `select i.*, exists (
       select from clientele.imports as o
       where o.id <> i.id and not o.feed and o.read > 0 and o.saved_at > i.saved_at) as overtaken
     from clientele.imports as i
     where i.fingerprint = $1 and i.finished_at is null and i.abandoned_at is null
     order by i.id desc limit 1`,
    [fingerprint],
  );
  return rows[0] && { checkpoint: toCheckpoint(rows[0]), overtaken: rows[0].overtaken };
}

/** What the current run has committed, after the connection was lost. */
export async function readCheckpoint(client: pg.Client, id: string): Promise<Checkpoint> {
  const { rows } = await client.query<CheckpointRow>(
    'select i.* from clientele.imports as i where i.id = $1',
    [id],
  );
  return toCheckpoint(rows[0]!);
}

export async function newCheckpoint(
  client: pg.Client,
  fingerprint: string,
  feed: boolean,
): Promise<Checkpoint> {
  const { rows } = await client.query<CheckpointRow>(
    'insert into clientele.imports (fingerprint, feed) values ($1, $2) returning *',
    [fingerprint, feed],
  );
  return toCheckpoint(rows[0]!);
}

/** Keeps a run from being resumed. */
export async function abandonCheckpoint(client: pg.Client, id: string): Promise<void> {
  await client.query('update clientele.imports set abandoned_at = now() where id = $1', [id]);
}

/**
 * Adds `refused` to what was refused before. Returns false if the run was abandoned, because the table of customers was
 * emptied.
 */
export async function saveCheckpoint(
  client: pg.Client,
  checkpoint: Checkpoint,
  refused: Refused = {},
): Promise<boolean> {
  const values = { ...checkpoint, reject_bytes: checkpoint.rejectBytes };
  const { rows } = await client.query<{ current: boolean }>(
    `update clientele.imports as i
     set saved_at = clock_timestamp(), prefix_hash = $2, reject_hash = $3, superseded_by = $4,
       refused = case when $5 = '{}'::jsonb then i.refused else i.refused || $5 end,
       ${counters.map((name, i) => `${name} = $${i + 6}`).join(', ')}
     where i.id = $1
     returning i.abandoned_at is null as current`,
    [
      checkpoint.id,
      checkpoint.prefixHash,
      checkpoint.rejectHash,
      checkpoint.supersededBy,
      refused,
      ...counters.map((name) => values[name]),
    ],
  );
  return rows[0]!.current;
}

export async function finishCheckpoint(client: pg.Client, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update clientele.imports set finished_at = now(), refused = '{}' where id = $1 and abandoned_at is null`,
    [id],
  );
  return rowCount === 1;
}

/** Of `--replace`, which cannot be resumed itself. */
export async function recordReplace(client: pg.Client, tally: Tally): Promise<void> {
  const checkpoint = await newCheckpoint(client, randomUUID(), false);
  await saveCheckpoint(client, { ...checkpoint, ...tally });
  await finishCheckpoint(client, checkpoint.id);
}
