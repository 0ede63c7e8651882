/** The statements that the server writes the audit with. All of them run on the primary. */
import type { Queries } from '../db/nodes.ts';
import type { Batch, ChainEnd } from './batch.ts';

/** Returns the number of the chain's last batch: that of this batch, or of an earlier one that the next is missing of. */
export async function storeBatch(primary: Queries, batch: Batch): Promise<number> {
  const { chain, number, previous, entries, customers, hash } = batch;
  const [row] = await primary.query<{ last: number | string }>(
    {
      name: 'append-audit',
      text: 'select clientele.append_audit($1, $2, $3, $4, $5, $6) as last',
    },
    [chain, number, previous, entries, customers, hash],
  );
  return Number(row!.last);
}

/** The ends of chains whose process is gone, and that no checkpoint vouches for. */
export async function uncheckedChains(primary: Queries): Promise<ChainEnd[]> {
  const rows = await primary.query<{ chain: string; number: string; hash: Buffer }>(
    { name: 'unchecked-audit-chains', text: 'select * from clientele.unchecked_audit_chains()' },
    [],
  );
  return rows.map(({ number, ...row }) => ({ ...row, number: Number(number) }));
}

/** Creates tables for the coming months, and drops the oldest that is past its time. Returns it, if there was one. */
export async function dropOldMonth(
  primary: Queries,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const [row] = await primary.query<{ month: string | null }>(
    { name: 'keep-audit', text: `select to_char(clientele.keep_audit(), 'YYYY-MM') as month` },
    [],
    signal,
  );
  return row!.month ?? undefined;
}
