/**
 * Prepares a directory for callers who may not see contact details, while it is in use: a role, triggers, the
 * text that such callers search, and its index. See docs/decisions/masking.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { codeOf } from '../error-code.ts';

/** Called before each step, and while customers are filled. */
export type MaskingProgress = (
  step: 'fill' | 'index' | 'analyze',
  done: number,
  of: number,
) => void;

/** Concurrent runs take turns on this lock. */
const lockId = 4_716_310_059;
/** About this many bytes of the table are filled in one transaction. */
const batchBytes = 1_000_000;
/** After this share of the table, the space of old rows is made free for new ones. */
const vacuumShare = 1 / 5;
/** How long to wait for locks, as others wait behind us, and how often to try again. */
const lockTimeout = '1s';
const retries = { pauseMs: 500, attempts: 600 };

export async function isMaskingReady(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ ready: boolean }>(
    'select clientele.is_masking_ready() as ready',
  );
  return rows[0]!.ready;
}

/**
 * Does what is missing; it can be interrupted and run again. The client has to be the tables' owner. The index waits for
 * open transactions without an end unless `patience` is given.
 */
export async function prepareMasking(
  client: pg.ClientBase,
  onProgress: MaskingProgress = () => undefined,
  patience = '0',
): Promise<void> {
  // A session that waits for the lock would have a snapshot, and the index would wait for that.
  while (!(await tryLock(client))) await sleep(retries.pauseMs);
  try {
    await client.query('set statement_timeout = 0');
    // Triggers that were changed while customers were filled start it again.
    while (!(await isMaskingReady(client))) await prepareOnce(client, onProgress, patience);
  } finally {
    await client.query('reset statement_timeout; reset lock_timeout');
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

async function tryLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [lockId],
  );
  return rows[0]!.locked;
}

async function prepareOnce(
  client: pg.ClientBase,
  onProgress: MaskingProgress,
  patience: string,
): Promise<void> {
  await client.query(`set lock_timeout = '${lockTimeout}'`);
  const begun = await whenFree(() =>
    client.query<{ kept_by: string }>('select clientele.begin_masking() as kept_by'),
  );
  await fill(client, (done, of) => onProgress('fill', done, of));
  // Nobody waits behind what follows, and it has to wait for open transactions.
  await client.query(`set lock_timeout = '${patience}'`);
  onProgress('index', 0, 1);
  await buildIndex(client);
  onProgress('analyze', 0, 1);
  await client.query('analyze public.customers');
  await client.query('select clientele.finish_masking($1)', [begun.rows[0]!.kept_by]);
}

/**
 * From the first to the last block that the table has now: rows that are written from now on have their text.
 * Also corrects text that was written while the triggers were disabled.
 */
async function fill(
  client: pg.ClientBase,
  onProgress: (done: number, of: number) => void,
): Promise<void> {
  const { rows } = await client.query<{ blocks: number; size: number }>(
    `select (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as blocks,
       current_setting('block_size')::int as size
     from pg_class as c where c.oid = 'public.customers'::regclass`,
  );
  const { blocks, size } = rows[0]!;
  const step = Math.max(1, Math.floor(batchBytes / size));
  let vacuumed = 0;
  let updated = 0;
  for (let from = 0; from < blocks; from += step) {
    onProgress(from, blocks);
    const { rowCount } = await whenFree(() =>
      client.query(fillStatement, [`(${from},0)`, `(${from + step},0)`]),
    );
    updated += rowCount ?? 0;
    if (updated > 0 && from - vacuumed > vacuumShare * blocks) {
      await client.query(vacuum);
      vacuumed = from;
    }
  }
  if (updated > 0) await client.query(vacuum);
}

/** Unless autovacuum is at it. */
const vacuum = 'vacuum (skip_locked) public.customers';

/** It waits for no customer, so it can be no part of a deadlock that ends a writer. */
const fillStatement = `
  with held as materialized (
    select c.ctid as place from only public.customers as c
    where c.ctid >= $1::tid and c.ctid < $2::tid
      and c.name_text is distinct from clientele.search_text(c.full_name, null, c.company_name, null)
    for no key update nowait
  )
  update only public.customers as c
  set name_text = clientele.search_text(c.full_name, null, c.company_name, null)
  from held as h
  where c.ctid = h.place`;

async function buildIndex(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select x.indisvalid as valid from pg_index as x
     where x.indexrelid = to_regclass('public.customers_name_search')`,
  );
  if (rows[0]?.valid) return;
  // What an interrupted run has left.
  await client.query('drop index concurrently if exists public.customers_name_search');
  await client.query(
    `create index concurrently customers_name_search on public.customers
     using gin (name_text gin_trgm_ops)`,
  );
}

/** Tries again while other sessions hold locks, or when another database of the cluster creates the same role. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = ['55P03', '40P01', 'XX000', '23505', '42710'].includes(codeOf(error) ?? '');
      if (!mayPass || attempt === retries.attempts) throw error;
      await sleep(retries.pauseMs);
    }
  }
}
