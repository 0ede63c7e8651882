/** Erases who is due. Each batch is a transaction of its own, so a run that is stopped is continued by the next. */
import type pg from 'pg';
import { eraseCustomers, type EraseOptions } from '../erasure/erase.ts';
import { firstRule } from './due.ts';
import type { RetentionRule } from './rules.ts';

export interface ErasedBatch {
  rule: string;
  erased: number;
  /** Of the erased, those whose row cannot be removed yet. */
  pending: number;
}

const batchSize = 500;

/** Ends early, between two batches, if its `return` is called. */
export async function* eraseDue(
  client: pg.ClientBase,
  rules: readonly RetentionRule[],
  { today, ...options }: { today: string } & Omit<EraseOptions, 'reason' | 'choose'>,
): AsyncGenerator<ErasedBatch> {
  let after: string | null = null;
  for (;;) {
    const values: unknown[] = [after];
    const { rows } = await client.query<{ uuid: string; rule: number }>(
      `select c.uuid, r.rule
       from only public.customers as c, lateral (select ${firstRule(rules, today, values)} as rule) as r
       where ($1::uuid is null or c.uuid > $1) and r.rule is not null
       order by c.uuid
       limit ${batchSize}`,
      values,
    );
    if (rows.length === 0) return;
    after = rows.at(-1)!.uuid;
    for (const [i, rule] of rules.entries()) {
      const uuids = rows.filter((row) => row.rule === i).map(({ uuid }) => uuid);
      if (uuids.length === 0) continue;
      const { erased, pending } = await eraseCustomers(client, uuids, {
        ...options,
        reason: `retention: ${rule.name}`,
        choose: (candidates) => stillDue(client, candidates, rule, today),
      });
      yield { rule: rule.name, erased, pending };
    }
  }
}

/** Locks the rows: somebody may order at this moment. Those that others have locked are left to the next run. */
async function stillDue(
  client: pg.ClientBase,
  uuids: readonly string[],
  rule: RetentionRule,
  today: string,
): Promise<string[]> {
  const values: unknown[] = [uuids];
  const { rows } = await client.query<{ uuid: string }>(
    `select c.uuid from only public.customers as c
     where c.uuid = any ($1) and ${firstRule([rule], today, values)} is not null
     order by c.uuid
     for update skip locked`,
    values,
  );
  return rows.map(({ uuid }) => uuid);
}
