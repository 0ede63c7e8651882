/** Staged records into customers, in one statement; see docs/decisions/import.md for its rules. */
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { pipeline } from 'node:stream/promises';
import { givenBits } from './customer-row.ts';
import { columns } from './fields.ts';

export interface Counts {
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  superseded: number;
}

/** Somebody else inserted one of ours at the same moment: do it again, then it is an update. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/** A batch lives to the end of its transaction, a whole file (`keep`) until the switch. */
export async function createStaging(client: pg.ClientBase, keep = false): Promise<void> {
  await client.query(`
    create temp table incoming (
      position int not null,
      op smallint not null,
      given smallint not null,
      layer int not null default 0,
      uuid uuid not null,
      full_name text,
      email_address text,
      phone_number text,
      company_name text,
      is_verified boolean,
      total_orders bigint,
      lifetime_value_cents bigint,
      last_order_at timestamptz(3),
      created_at timestamptz(3),
      updated_at timestamptz(3)
    ) on commit ${keep ? 'preserve' : 'delete'} rows`);
}

export async function stage(client: pg.ClientBase, rows: Buffer): Promise<void> {
  const copy = client.query(
    copyFrom(`copy pg_temp.incoming (position, op, given, ${columns.join(', ')}) from stdin`),
  );
  await pipeline([rows], copy);
}

const optional = Object.entries(givenBits);
const differs = [
  'c.full_name is distinct from l.full_name',
  'c.email_address is distinct from l.email_address',
  ...optional.map(
    ([column, bit]) => `l.given & ${bit} <> 0 and c.${column} is distinct from l.${column}`,
  ),
].join(' or ');
const assignments = [
  'full_name = j.full_name',
  'email_address = j.email_address',
  ...optional.map(
    ([column, bit]) =>
      `${column} = case when j.given & ${bit} <> 0 then j.${column} else c.${column} end`,
  ),
  'updated_at = coalesce(j.updated_at, c.updated_at)',
].join(', ');

/** Not older than what is there. A record without a time only replaces one without. */
const notOlder = (record: string): string =>
  `(c.updated_at is null or ${record}.updated_at >= c.updated_at)`;

const statement = `
  with latest as materialized (
    -- Of duplicates the newest, of equally new ones the last.
    select distinct on (i.uuid) i.*
    from pg_temp.incoming as i
    where i.layer = $1
    order by i.uuid, i.updated_at desc nulls last, i.position desc
  ),
  judged as materialized (
    select l.*, c.uuid is not null as known, (${differs}) as differs,
      (g.uuid is null or coalesce(l.updated_at > g.gone_at, false)) as welcome
    from latest as l
    left join public.customers as c on c.uuid = l.uuid
    left join clientele.gone_customers as g on g.uuid = l.uuid
  ),
  inserted as (
    insert into public.customers (uuid, full_name, email_address, phone_number, company_name,
      is_verified, total_orders, lifetime_value_cents, last_order_at, created_at, updated_at)
    select j.uuid, j.full_name, j.email_address, j.phone_number, j.company_name,
      coalesce(j.is_verified, false), coalesce(j.total_orders, 0),
      coalesce(j.lifetime_value_cents, 0), j.last_order_at, coalesce(j.created_at, now()), j.updated_at
    from judged as j
    where j.op = 0 and not j.known and j.welcome
    on conflict (uuid) do nothing
    returning 1
  ),
  updated as (
    update public.customers as c set ${assignments}
    from judged as j
    where c.uuid = j.uuid and j.op = 0 and ${notOlder('j')}
      and (j.differs or j.updated_at > c.updated_at or c.updated_at is null and j.updated_at is not null)
    returning j.differs
  ),
  deleted as (
    delete from public.customers as c
    using judged as j
    where c.uuid = j.uuid and (j.op = 1 and ${notOlder('j')} or j.op = 2)
    returning 1
  ),
  gone as (
    insert into clientele.gone_customers as g (uuid, gone_at)
    select j.uuid, case j.op when 1 then j.updated_at else 'infinity' end
    from judged as j
    where j.op > 0
    on conflict (uuid) do update set gone_at = greatest(g.gone_at, excluded.gone_at)
  )
  select
    (select count(*)::int from inserted) as inserted,
    (select count(*)::int from updated as u where u.differs) as updated,
    (select count(*)::int from judged as j where j.op = 0 and j.known and not j.differs
      or j.op > 0 and not j.known) as unchanged,
    (select count(*)::int from deleted) as deleted,
    (select count(*)::int from judged as j where j.op = 0 and not j.known and j.welcome) as new`;

/**
 * A batch holds no two records of a customer that give different fields (`BatchBuilder.fits`), because
 * only the newest of them counts. A whole file may: such records go into layers, applied one by one.
 * Returns how many layers there are.
 */
export async function assignLayers(client: pg.ClientBase): Promise<number> {
  await client.query(`
    with mixed as (
      select i.uuid from pg_temp.incoming as i group by i.uuid having min(i.given) <> max(i.given)
    ),
    turns as (
      select i.uuid, i.position,
        (i.given <> lag(i.given, 1, i.given) over w)::int as turn
      from pg_temp.incoming as i join mixed as m on m.uuid = i.uuid
      window w as (partition by i.uuid order by i.position)
    ),
    layered as (
      select t.uuid, t.position, sum(t.turn) over (partition by t.uuid order by t.position) as layer
      from turns as t
    )
    update pg_temp.incoming as i set layer = l.layer
    from layered as l
    where i.uuid = l.uuid and i.position = l.position and l.layer > 0`);
  await client.query('create index on pg_temp.incoming (layer) where layer > 0');
  const { rows } = await client.query<{ layers: number }>(
    'select coalesce(max(i.layer), 0) + 1 as layers from pg_temp.incoming as i',
  );
  return rows[0]!.layers;
}

/** Whatever was not inserted, updated or deleted, and was not the same already, was superseded. */
export async function upsert(client: pg.ClientBase, staged: number, layers = 1): Promise<Counts> {
  const sum = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
  for (let layer = 0; layer < layers; layer += 1) {
    const { rows } = await client.query<typeof sum & { new: number }>(statement, [layer]);
    const { new: expected, ...counts } = rows[0]!;
    if (counts.inserted !== expected) throw new OvertakenError('inserted by another session');
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
  }
  const { inserted, updated, unchanged, deleted } = sum;
  return { ...sum, superseded: staged - inserted - updated - unchanged - deleted };
}
