-- As it is sent. `vitest --update` writes this file again.

-- merge a layer
with latest as materialized (
    -- Of several records of a customer, the newest; of equally new ones, the last.
  select distinct on (i.uuid) i.*
  from pg_temp.incoming as i
  where i.layer = $1
  order by i.uuid, i.updated_at desc nulls last, i.position desc
),
matched as materialized (
  select l.*, c.uuid is not null as known, (
      c.full_name is distinct from l.full_name or
      c.email_address is distinct from l.email_address or
      l.given & 1 <> 0 and c.phone_number is distinct from l.phone_number or
      l.given & 2 <> 0 and c.company_name is distinct from l.company_name or
      l.given & 4 <> 0 and c.is_verified is distinct from l.is_verified or
      l.given & 8 <> 0 and c.total_orders is distinct from l.total_orders or
      l.given & 16 <> 0 and c.lifetime_value_cents is distinct from l.lifetime_value_cents or
      l.given & 32 <> 0 and c.last_order_at is distinct from l.last_order_at or
      l.given & 64 <> 0 and c.created_at is distinct from l.created_at
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
    insert into public.customers (uuid, full_name, email_address, phone_number, company_name, is_verified, total_orders, lifetime_value_cents, last_order_at, created_at, updated_at)
    select m.uuid, m.full_name, m.email_address, m.phone_number, m.company_name, m.is_verified, m.total_orders, m.lifetime_value_cents, m.last_order_at, case when m.given & 64 <> 0 then m.created_at else now() end, m.updated_at
    from matched as m
    where m.op = 0 and not m.known and m.blocked is null
    on conflict (uuid) do nothing
    returning 1
  ),
  updated as (
    update public.customers as c set
      full_name = m.full_name,
      email_address = m.email_address,
      phone_number = case when m.given & 1 <> 0 then m.phone_number else c.phone_number end,
      company_name = case when m.given & 2 <> 0 then m.company_name else c.company_name end,
      is_verified = case when m.given & 4 <> 0 then m.is_verified else c.is_verified end,
      total_orders = case when m.given & 8 <> 0 then m.total_orders else c.total_orders end,
      lifetime_value_cents = case when m.given & 16 <> 0 then m.lifetime_value_cents else c.lifetime_value_cents end,
      last_order_at = case when m.given & 32 <> 0 then m.last_order_at else c.last_order_at end,
      created_at = case when m.given & 64 <> 0 then m.created_at else c.created_at end,
      updated_at = m.updated_at
    from matched as m
    where c.uuid = m.uuid and m.op = 0 and (c.updated_at is null or c.updated_at <= $2 or m.updated_at >= c.updated_at)
      and (m.differs or m.updated_at is distinct from c.updated_at)
    returning m.differs
  ),
  deleted as (
    delete from public.customers as c
    using matched as m
    where c.uuid = m.uuid and (m.op = 1 and (c.updated_at is null or c.updated_at <= $2 or m.updated_at >= c.updated_at) or m.op = 2)
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
  count(*) filter (where m.op = 0 and not m.known and m.blocked is null)::int as new,
  count(*) filter (where m.op = 0 and m.known and not m.differs or m.op > 0 and not m.known)::int
  as unchanged,
  count(*) filter (where m.op = 0 and m.known and m.differs and m.undated)::int as undated,
  count(*) filter (where m.op = 0 and not m.known and m.blocked = 'deleted')::int as blocked,
  count(*) filter (where m.op = 0 and not m.known and m.blocked = 'erased')::int as erased
from matched as m;
