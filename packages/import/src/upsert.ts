/** Merges staged records into customers. The rules are in docs/data-model.md. */
import { fieldOf, wireFields } from '@clientele/contract/customer-fields';
import { columnTypes } from '@clientele/directory';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { pipeline } from 'node:stream/promises';
import { addCounts, noCounts, type Counts } from './counts.ts';
import { givenBits } from './customer-row.ts';
import { columns, fileFields } from './fields.ts';

/** Another session inserted the same customer concurrently. Retrying turns the insert into an update. */
export class ConcurrentInsertError extends Error {
  override readonly name = 'ConcurrentInsertError';
}

/** The columns of the staging table in front of those of a customer. */
export const stagingColumns = ['position', 'layer', 'op', 'given'] as const;

/** A batch is cleared at the end of its transaction; `keep` preserves the rows of a whole file. */
export async function createStaging(client: pg.ClientBase, keep = false): Promise<void> {
  await client.query(`
    create temp table incoming (
      position int not null,
      layer int not null,
      op smallint not null,
      given smallint not null,
      uuid uuid not null,
      ${columns
        .slice(1)
        .map((name) => `${name} ${columnTypes[fileFields[name].kind]}`)
        .join(', ')}
    ) on commit ${keep ? 'preserve' : 'delete'} rows`);
}

export async function stage(client: pg.ClientBase, rows: Buffer): Promise<void> {
  const copy = client.query(
    copyFrom(`copy pg_temp.incoming (${[...stagingColumns, ...columns].join(', ')}) from stdin`),
  );
  await pipeline([rows], copy);
}

/** All but the identifier, each with its bit unless every record gives it. */
const given = wireFields.slice(1).map((name) => ({ name, bit: givenBits[name] }));
const isGiven = (row: string, bit: number): string => `${row}.given & ${bit} <> 0`;
const differs = given
  .map(({ name, bit }) => {
    const other = `c.${name} is distinct from l.${name}`;
    return bit === undefined ? other : `${isGiven('l', bit)} and ${other}`;
  })
  .join(' or\n');
const assignments = given
  .map(({ name, bit }) =>
    bit === undefined
      ? `${name} = m.${name}`
      : `${name} = case when ${isGiven('m', bit)} then m.${name} else c.${name} end`,
  )
  .join(',\n');
const inserted = given.map(({ name, bit }) =>
  bit !== undefined && fieldOf(name).default === 'now'
    ? `case when ${isGiven('m', bit)} then m.${name} else now() end`
    : `m.${name}`,
);

/** A record without a time is older than any with one. Times up to $2 do not count. */
const notOlder = '(c.updated_at is null or c.updated_at <= $2 or m.updated_at >= c.updated_at)';
const isNew = 'm.op = 0 and not m.known and m.blocked is null';

/** $1: the layer. $2: times and deletes up to then do not count. $3: whether the records are a feed. */
const statement = `
  with latest as materialized (
    -- Of several records of a customer, the newest; of equally new ones, the last.
    select distinct on (i.uuid) i.*
    from pg_temp.incoming as i
    where i.layer = $1
    order by i.uuid, i.updated_at desc nulls last, i.position desc
  ),
  matched as materialized (
    select l.*, c.uuid is not null as known, (
      ${differs}
      ) as differs,
      l.updated_at is null and c.updated_at > $2 as undated,
      case
        when g.gone_at = 'infinity' then 'erased'
        -- A feed is in order: a record with the time of a delete came after it. A file says nothing of
        -- the kind, so its records must be newer.
        when l.updated_at > g.gone_at or $3 and l.updated_at = g.gone_at then null
        when g.gone_at > $2 then 'deleted'
      end as blocked
    from latest as l
    left join public.customers as c on c.uuid = l.uuid
    left join clientele.gone_customers as g on g.uuid = l.uuid
  ),
  inserted as (
    insert into public.customers (${columns.join(', ')})
    select m.uuid, ${inserted.join(', ')}, m.updated_at
    from matched as m
    where ${isNew}
    on conflict (uuid) do nothing
    returning 1
  ),
  updated as (
    update public.customers as c set
      ${assignments},
      updated_at = m.updated_at
    from matched as m
    where c.uuid = m.uuid and m.op = 0 and ${notOlder}
      and (m.differs or m.updated_at is distinct from c.updated_at)
    returning m.differs
  ),
  deleted as (
    delete from public.customers as c
    using matched as m
    where c.uuid = m.uuid and (m.op = 1 and ${notOlder} or m.op = 2)
    returning 1
  ),
  tombstones as (
    insert into clientele.gone_customers as g (uuid, gone_at)
    select m.uuid, case m.op when 1 then m.updated_at else 'infinity' end
    from matched as m
    where m.op > 0
    on conflict (uuid) do update set gone_at = greatest(g.gone_at, excluded.gone_at)
  )
  select
    (select count(*)::int from inserted) as inserted,
    (select count(*)::int from updated as u where u.differs) as updated,
    (select count(*)::int from deleted) as deleted,
    count(*)::int as applicable,
    count(*) filter (where ${isNew})::int as new,
    count(*) filter (where m.op = 0 and m.known and not m.differs or m.op > 0 and not m.known)::int
      as unchanged,
    count(*) filter (where m.op = 0 and m.known and m.differs and m.undated)::int as undated,
    count(*) filter (where m.op = 0 and not m.known and m.blocked = 'deleted')::int as blocked,
    count(*) filter (where m.op = 0 and not m.known and m.blocked = 'erased')::int as erased
  from matched as m`;

/**
 * Assigns layers as `BatchBuilder` does, but for records of several batches that are merged together.
 * Returns the number of layers.
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
    where i.uuid = l.uuid and i.position = l.position and i.layer <> l.layer`);
  await client.query('create index on pg_temp.incoming (layer) where layer > 0');
  const { rows } = await client.query<{ layers: number }>(
    'select coalesce(max(i.layer), 0) + 1 as layers from pg_temp.incoming as i',
  );
  return rows[0]!.layers;
}

export interface UpsertOptions {
  /** How many records are staged, in how many layers. */
  records: number;
  layers: number;
  /** Whether the records are in the order of the changes. */
  feed?: boolean;
  /** For --replace: times and deletes in the directory do not count up to this time. */
  forgetUpTo?: string | undefined;
}

/** Merges the layers one after the other. Every record is counted once. */
export async function upsert(client: pg.ClientBase, options: UpsertOptions): Promise<Counts> {
  const { records, layers, feed = false, forgetUpTo = '-infinity' } = options;
  let sum: Counts = noCounts;
  let applicable = 0;
  for (let layer = 0; layer < layers; layer += 1) {
    // All customers have a record in the first layer, so later ones compare with what it wrote.
    const forget = layer === 0 ? forgetUpTo : '-infinity';
    const { rows } = await client.query<Record<string, number>>(statement, [layer, forget, feed]);
    const { inserted, updated, unchanged, deleted, ...found } = rows[0]! as Record<Found, number>;
    if (inserted !== found.new) throw new ConcurrentInsertError('inserted by another session');
    const { undated, blocked, erased: suppressed } = found;
    const written = inserted + updated + unchanged + deleted;
    const superseded = found.applicable - written - suppressed;
    const older = superseded - undated - blocked;
    const supersededBy = { repeated: 0, older, undated, deleted: blocked };
    const counts = { inserted, updated, unchanged, deleted, superseded, supersededBy, suppressed };
    sum = addCounts(sum, counts);
    applicable += found.applicable;
  }
  const repeated = records - applicable;
  const supersededBy = { ...noCounts.supersededBy, repeated };
  return addCounts(sum, { ...noCounts, superseded: repeated, supersededBy });
}

type Found =
  | 'inserted'
  | 'updated'
  | 'unchanged'
  | 'deleted'
  | 'applicable'
  | 'new'
  | 'undated'
  | 'blocked'
  | 'erased';
