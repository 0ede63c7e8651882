/**
 * Prepares a directory for callers who may not see contact details, while it is in use: a role, triggers, the
 * text that such callers search, and its index. See docs/decisions/masking.md.
 */
import type pg from 'pg';
import { nameText } from './customer-columns.ts';
import {
  changeOnline,
  type ChangeOptions,
  type OnlineChange,
  type PreparedState,
} from './online-change.ts';

/** About this many bytes of the table are filled in one transaction. */
const batchBytes = 1_000_000;
/** After this share of the table, the space of old rows is made free for new ones. */
const vacuumShare = 1 / 5;

const nameSearch = {
  schema: 'public',
  name: 'customers_name_search',
  on: 'public.customers using gin (name_text gin_trgm_ops)',
} as const;

export async function maskingState(client: pg.ClientBase): Promise<PreparedState> {
  const { rows } = await client.query<{ state: PreparedState }>(
    `select case when clientele.is_masking_ready() then 'on'
       when clientele.masking_triggers() is not null or exists (select from clientele.masking) then 'unfinished'
       else 'off' end as state`,
  );
  return rows[0]!.state;
}

/** Does what is missing, and corrects names that are outdated. Returns how many customers had to be written. */
export async function prepareMasking(
  client: pg.ClientBase,
  options: ChangeOptions = {},
): Promise<number> {
  return changeOnline(client, options, async (change) => {
    let written = await prepareOnce(client, change);
    // Triggers that were changed while customers were filled start it again.
    while ((await maskingState(client)) !== 'on') written += await prepareOnce(client, change);
    return written;
  });
}

async function prepareOnce(client: pg.ClientBase, change: OnlineChange): Promise<number> {
  const begun = await change.whenTableIsFree(
    () => client.query<{ kept_by: string }>('select clientele.begin_masking() as kept_by'),
    whenAnotherDatabaseCreatesTheRole,
  );
  const written = await fill(client, change);
  await change.buildIndex(nameSearch);
  await change.maintain('analyze public.customers');
  await client.query('select clientele.finish_masking($1)', [begun.rows[0]!.kept_by]);
  return written;
}

const whenAnotherDatabaseCreatesTheRole = ['XX000', '23505', '42710'];

/**
 * From the first to the last block that the table has now: rows that are written from now on have their text. By blocks
 * and not by identifier, because the first run writes every row.
 */
async function fill(client: pg.ClientBase, change: OnlineChange): Promise<number> {
  const { rows } = await client.query<{ blocks: number; size: number }>(
    `select (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as blocks,
       current_setting('block_size')::int as size
     from pg_class as c where c.oid = 'public.customers'::regclass`,
  );
  const { blocks, size } = rows[0]!;
  const step = Math.max(1, Math.floor(batchBytes / size));
  let [from, vacuumed, stale] = [0, 0, 0];
  const written = await change.fill(async (customers) => {
    if (from >= blocks) return undefined;
    const { rowCount } = await client.query(fillStatement, [`(${from},0)`, `(${from + step},0)`]);
    const changed = rowCount ?? 0;
    from += step;
    stale += changed;
    if (stale > 0 && from - vacuumed > vacuumShare * blocks) {
      await client.query(vacuum);
      vacuumed = from;
    }
    return { done: Math.round(customers * Math.min(1, from / blocks)), changed };
  });
  if (written > 0) await change.maintain(vacuum);
  return written;
}

/** Unless autovacuum is at it. */
const vacuum = 'vacuum (skip_locked) public.customers';

/** It waits for no customer, so it can be no part of a deadlock that ends a writer. */
const fillStatement = `
  with held as materialized (
    select c.ctid as place from only public.customers as c
    where c.ctid >= $1::tid and c.ctid < $2::tid
      and c.name_text is distinct from ${nameText}
    for no key update nowait
  )
  update only public.customers as c
  set name_text = ${nameText}
  from held as h
  where c.ctid = h.place`;
