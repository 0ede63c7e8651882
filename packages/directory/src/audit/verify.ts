/**
 * Whether the audit is as it was recorded: every chain from its beginning, or from what a dropped month has left,
 * to its end, and every checkpoint. Names what was changed, removed, reordered or rewritten.
 */
import type pg from 'pg';
import type { AuditReport, VerifyOptions } from './audit-report.ts';
import { hashOf, noHash } from './batch.ts';
import { firstKept, isPast, verifyCheckpoints } from './verify-checkpoints.ts';

interface BatchRow {
  chain: string;
  number: string;
  stored_at: Date;
  entries: Buffer;
  customers: Buffer;
  hash: Buffer;
}

interface Ends {
  /** By chain: where it ends according to the server, and the last batch of each month that was dropped. */
  heads: Map<string, { number: number; hash: Buffer }>;
  closings: Map<string, Map<number, Buffer>>;
}

/** Reads everything in one snapshot. */
export async function verifyAudit(client: pg.Client, options: VerifyOptions): Promise<AuditReport> {
  const report: AuditReport = {
    chains: 0,
    batches: 0,
    entries: 0,
    signed: 0,
    unsigned: 0,
    uncovered: 0,
    keptSince: '',
    problems: (options.damagedFiles ?? []).map(
      (file) =>
        `${file} has lines that cannot be read: answers may have been sent without an entry`,
    ),
  };
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query('set local statement_timeout = 0');
    report.keptSince = await readKeptSince(client);
    const ends = await readEnds(client, report);
    const lengths = await verifyChains(client, ends, report);
    const covered = await verifyCheckpoints(client, options, report);
    for (const [chain, number] of lengths) {
      report.uncovered += Math.max(0, number - (covered.get(chain) ?? 0));
    }
  } finally {
    await client.query('rollback');
  }
  return report;
}

async function readKeptSince(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ month: string }>(
    `select to_char(${firstKept}, 'YYYY-MM') as month`,
  );
  return rows[0]!.month;
}

async function readEnds(client: pg.Client, report: AuditReport): Promise<Ends> {
  const { rows: heads } = await client.query<{ chain: string; number: string; hash: Buffer }>(
    'select chain, number, hash from clientele.audit_chains',
  );
  const { rows } = await client.query<{
    chain: string;
    number: string;
    hash: Buffer;
    month: string;
    past: boolean;
  }>(
    `select c.chain, c.number, c.hash, to_char(c.month, 'YYYY-MM') as month, ${isPast} as past
     from clientele.audit_closings as c`,
  );
  const closings = new Map<string, Map<number, Buffer>>();
  for (const { chain, number, hash, month, past } of rows) {
    if (!past) {
      report.problems.push(
        `chain ${chain}: its batches up to ${number} are said to be dropped with ${month}, which is to be kept`,
      );
      continue;
    }
    if (!closings.has(chain)) closings.set(chain, new Map());
    closings.get(chain)!.set(Number(number), hash);
  }
  const ended = heads.map(
    ({ chain, number, hash }) => [chain, { number: Number(number), hash }] as const,
  );
  return { heads: new Map(ended), closings };
}

/** Returns the number of the last batch of each chain. */
async function verifyChains(
  client: pg.Client,
  { heads, closings }: Ends,
  report: AuditReport,
): Promise<Map<string, number>> {
  const lengths = new Map<string, number>();
  let before: { chain: string; number: number; hash: Buffer } | undefined;
  for await (const row of readBatches(client)) {
    const number = Number(row.number);
    const problem = (what: string): void => void report.problems.push(`${nameOf(row)} ${what}`);
    if (before?.chain !== row.chain) {
      report.chains += 1;
      const closed = closings.get(row.chain)?.get(number - 1);
      before = { chain: row.chain, number: closed ? number - 1 : 0, hash: closed ?? noHash };
    }
    if (number === before.number) problem('is there twice');
    else if (number > before.number + 1) {
      const missing = number - before.number - 1;
      problem(`follows a gap: ${missing} before it ${missing === 1 ? 'is' : 'are'} missing`);
    } else if (!hashOf({ ...row, number, previous: before.hash }).equals(row.hash)) {
      problem('was changed, or is not in its place: its hash does not follow from the one before');
    }
    report.batches += 1;
    report.entries += countEntries(row, problem);
    before = { chain: row.chain, number, hash: row.hash };
    lengths.set(row.chain, number);
    const head = heads.get(row.chain);
    if (head?.number === number && !head.hash.equals(row.hash))
      problem('is not the last one that was recorded');
  }
  for (const [chain, { number }] of heads) {
    const last = lengths.get(chain) ?? Math.max(0, ...(closings.get(chain)?.keys() ?? []));
    if (last < number) {
      report.problems.push(
        `chain ${chain}: batches ${last + 1} to ${number} at its end are missing`,
      );
    }
  }
  for (const chain of lengths.keys()) {
    if (!heads.has(chain))
      report.problems.push(`chain ${chain}: it has batches, but no recorded end`);
  }
  return lengths;
}

const nameOf = ({
  chain,
  number,
  stored_at,
}: Omit<BatchRow, 'entries' | 'customers' | 'hash'>): string =>
  `chain ${chain}, batch ${number} of ${stored_at.toISOString()}:`;

function countEntries({ entries, customers }: BatchRow, problem: (what: string) => void): number {
  try {
    const list = JSON.parse(entries.toString()) as { shown: number }[];
    const shown = list.reduce((sum, entry) => sum + entry.shown, 0);
    if (16 * shown !== customers.length) problem('lists other customers than its entries count');
    return list.length;
  } catch {
    problem('cannot be read');
    return 0;
  }
}

async function* readBatches(client: pg.Client): AsyncGenerator<BatchRow> {
  await client.query(
    `declare audit_batches no scroll cursor for
     select chain, number, stored_at, entries, customers, hash from clientele.audit_batches
     order by chain, number, stored_at`,
  );
  for (;;) {
    const { rows } = await client.query<BatchRow>('fetch 200 from audit_batches');
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query('close audit_batches');
}
