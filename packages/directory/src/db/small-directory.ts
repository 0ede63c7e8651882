/**
 * What a small directory has prepared without being asked: every order of lists, and what callers without contact details
 * need. In a large one it takes long and costs gigabytes, so it is left to the operator.
 */
import type pg from 'pg';
import { listPreparations, prepare, type Preparation } from './preparations.ts';

export const largeDirectory = 1_000_000;

/**
 * What is unfinished, and what nobody has decided about: once an order is on, the operator chooses the others. Search text
 * is left to the operator too. Masking comes last, because it may need a role that the owner may not create.
 */
export async function findUnprepared(client: pg.ClientBase): Promise<Preparation[]> {
  const all = (await listPreparations(client)).filter(({ name }) => name !== 'search-text');
  const undecided = all.every(({ name, state }) => name === 'masking' || state === 'off');
  return all
    .filter(({ name, state }) =>
      state === 'off' ? undecided || name === 'masking' : state === 'unfinished',
    )
    .map(({ name }) => name);
}

export async function isSmallDirectory(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ small: boolean }>(
    `select case when c.reltuples >= $1 then false else (
       select count(*) < $1 from (select from only public.customers limit $1) as customers
     ) end as small
     from pg_class as c where c.oid = 'public.customers'::regclass`,
    [largeDirectory],
  );
  return rows[0]!.small;
}

/** The client has to be the tables' owner. An index waits so long for transactions that are open, such as a dump. */
export async function prepareSmallDirectory(
  client: pg.ClientBase,
  unprepared: Preparation[],
  patience = '60s',
): Promise<void> {
  for (const name of unprepared) await prepare(client, name, { patience });
}
