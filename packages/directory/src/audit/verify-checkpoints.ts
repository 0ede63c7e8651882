/** Whether the checkpoints are genuine, and the batches that they vouch for are still there. */
import type pg from 'pg';
import type { AuditReport, VerifyOptions } from './audit-report.ts';
import { isGenuine, type Checkpoint } from './checkpoints.ts';

interface CheckpointRow extends Omit<Checkpoint, 'number' | 'at'> {
  number: string;
  at: Date;
}

/** The first month that the owner wants to keep. */
export const firstKept = `date_trunc('month', now() at time zone 'UTC')
  - make_interval(months => coalesce((select r.months from clientele.audit_retention as r), 1))`;

/** Whether a closing is of an earlier month: only such a month can have been dropped. */
export const isPast = `c.month < ${firstKept}`;

/** Returns the last batch of each chain that a signed checkpoint vouches for. */
export async function verifyCheckpoints(
  client: pg.Client,
  { publicKey, checkpoints = [] }: VerifyOptions,
  report: AuditReport,
): Promise<Map<string, number>> {
  const covered = new Map<string, number>();
  const check = async (from: string, some: readonly Checkpoint[]): Promise<void> => {
    const found = await hashesOf(client, some);
    for (const [i, checkpoint] of some.entries()) {
      const { chain, number, at, hash, signature } = checkpoint;
      const name = `chain ${chain}, batch ${number}: the checkpoint of ${at} in the ${from}`;
      if (signature === null) report.unsigned += 1;
      else if (publicKey && !isGenuine(checkpoint, publicKey)) {
        report.problems.push(`${name} was not signed with this key`);
        continue;
      } else report.signed += 1;
      const now = found[i]!;
      if (now.hash === null && !now.dropped)
        report.problems.push(`${name} is for a batch that is missing`);
      else if (now.hash !== null && now.hash !== hash) {
        report.problems.push(`${name} is for another batch: the chain was rewritten`);
      } else if (signature !== null) covered.set(chain, Math.max(number, covered.get(chain) ?? 0));
    }
  };
  await client.query(
    `declare audit_checkpoints no scroll cursor for
     select chain, number, encode(hash, 'hex') as hash, at, key, encode(signature, 'base64') as signature
     from clientele.audit_checkpoints order by stored_at`,
  );
  for (;;) {
    const { rows } = await client.query<CheckpointRow>('fetch 1000 from audit_checkpoints');
    if (rows.length === 0) break;
    const some = rows.map((row) => ({
      ...row,
      number: Number(row.number),
      at: row.at.toISOString(),
      signature: row.signature?.replaceAll('\n', '') ?? null,
    }));
    await check('database', some);
  }
  for (let i = 0; i < checkpoints.length; i += 1_000)
    await check('log', checkpoints.slice(i, i + 1_000));
  return covered;
}

/**
 * What the batches of checkpoints hash to now; `dropped` if they were of a month that is no longer kept. A checkpoint is
 * made after its batch, but not a month later.
 */
async function hashesOf(
  client: pg.Client,
  checkpoints: readonly Checkpoint[],
): Promise<{ hash: string | null; dropped: boolean }[]> {
  const { rows } = await client.query<{ hash: string | null; dropped: boolean }>(
    `select encode(b.hash, 'hex') as hash, exists (
       select from clientele.audit_closings as c
       where c.chain = p.chain and c.number >= p.number and ${isPast}
         and p.at < (c.month + interval '2 months') at time zone 'UTC'
     ) as dropped
     from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) with ordinality as p(chain, number, at, i)
     left join lateral (
       select b.hash from clientele.audit_batches as b
       where b.chain = p.chain and b.number = p.number limit 1
     ) as b on true
     order by p.i`,
    [
      checkpoints.map(({ chain }) => chain),
      checkpoints.map(({ number }) => number),
      // What a log says need not be a time.
      checkpoints.map(({ at }) => (Number.isNaN(Date.parse(at)) ? 'infinity' : at)),
    ],
  );
  return rows;
}

/** The checkpoints in the lines of a log. Other lines are ignored. */
export function checkpointsIn(lines: Iterable<string>): Checkpoint[] {
  const found: Checkpoint[] = [];
  for (const line of lines) {
    // What stands before it was added by whatever collected the log.
    const start = line.indexOf('{');
    if (start === -1 || !line.includes('"audit_checkpoint"')) continue;
    try {
      const { audit_checkpoint } = JSON.parse(line.slice(start)) as {
        audit_checkpoint?: Checkpoint;
      };
      if (audit_checkpoint) found.push(audit_checkpoint);
    } catch {
      // A line that was cut.
    }
  }
  return found;
}
