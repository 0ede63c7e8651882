-- Nobody records in the name of another. A server's login records what keys and people read; another login only what it
-- does itself. A batch that cannot be read is refused, and one that is there anyway hides no other.
-- oldest program: 000013

-- The entries of a batch; null if they cannot be read, or do not fit its customers.
create function clientele.audit_json(of_entries bytea, of_customers bytea) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  list jsonb;
begin
  list := convert_from(of_entries, 'UTF8')::jsonb;
  if (
    select 16 * coalesce(sum(e.shown), 0) = length(of_customers)
      and coalesce(bool_and(e.at is not null and e.shown >= 0), true)
    from jsonb_to_recordset(list) as e(at timestamptz, page int, per_page int, total bigint, shown int)
  ) then
    return list;
  end if;
  return null;
exception when others then
  return null;
end
$$;
revoke execute on function clientele.audit_json from public;

create or replace function clientele.append_audit(of_chain uuid, of_number bigint, of_previous bytea, of_entries bytea,
  of_customers bytea, of_hash bytea) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  moment constant timestamptz := clock_timestamp();
  month constant date := date_trunc('month', moment at time zone 'UTC');
  list constant jsonb := clientele.audit_json(of_entries, of_customers);
  head clientele.audit_chains;
begin
  if of_hash is distinct from sha256(of_previous || uuid_send(of_chain) || int8send(of_number)
    || int4send(length(of_entries)) || of_entries || of_customers) then
    raise exception 'the hash does not follow from the batch' using errcode = 'integrity_constraint_violation';
  end if;
  if list is null then
    raise exception 'the batch cannot be read' using errcode = 'integrity_constraint_violation';
  end if;
  if not pg_has_role(session_user, 'clientele_reader', 'member') and exists (
    select from jsonb_array_elements(list) as e
    where e ->> 'kind' is distinct from 'login' or e ->> 'caller' is distinct from session_user::text
  ) then
    raise exception 'only a server records what others do' using errcode = 'insufficient_privilege';
  end if;
  if of_number = 1 then
    insert into clientele.audit_chains (chain, number, hash, changed_at)
    values (of_chain, 1, of_hash, moment) on conflict do nothing;
  else
    update clientele.audit_chains as c set number = of_number, hash = of_hash, changed_at = moment
    where c.chain = of_chain and c.number = of_number - 1 and c.hash = of_previous;
  end if;
  if not found then
    select c.* into head from clientele.audit_chains as c where c.chain = of_chain;
    if head.number = of_number - 1 or head.number >= of_number and not exists (
      select from clientele.audit_batches as b
      where b.chain = of_chain and b.number = of_number and b.hash = of_hash
    ) then
      raise exception 'the batch does not fit into its chain' using errcode = 'integrity_constraint_violation';
    end if;
    return coalesce(head.number, 0);
  end if;
  if to_regclass('clientele.audit_' || to_char(month, 'YYYY_MM')) is null then
    perform clientele.add_audit_month(month);
  end if;
  insert into clientele.audit_batches (chain, number, stored_at, entries, customers, hash)
  values (of_chain, of_number, moment, of_entries, of_customers, of_hash);
  -- The reader cannot have done anything else in this transaction.
  if current_setting('role') = 'clientele_reader' then
    insert into clientele.audit_commits (xid) values (pg_current_xact_id()) on conflict do nothing;
    if random() < 0.002 then
      delete from clientele.audit_commits as c
      where c.xid < greatest(pg_current_xact_id()::text::bigint - 20000, 0)::text::xid8;
    end if;
  end if;
  return of_number;
end
$$;

-- A batch that cannot be read is one entry that says so; `clientele audit verify` names it.
create or replace view clientele.audit_entries as
select b.chain, b.number, e.ordinality::int as position, b.stored_at,
  (e.entry ->> 'at')::timestamptz(3) as at,
  e.entry ->> 'kind' as caller_kind,
  e.entry ->> 'caller' as caller_id,
  e.entry ->> 'name' as caller_name,
  e.entry ->> 'address' as address,
  e.entry ->> 'action' as action,
  e.entry ->> 'request' as request_id,
  (e.entry ->> 'page')::int as page,
  (e.entry ->> 'per_page')::int as per_page,
  (e.entry ->> 'total')::bigint as total,
  (e.entry ->> 'shown')::int as shown,
  e.entry ->> 'search' as search_hash,
  array(
    select encode(substr(b.customers, i, 16), 'hex')::uuid
    from generate_series(1 + 16 * e.before, 16 * (e.before + (e.entry ->> 'shown')::int) - 15, 16) as i
  ) as customers,
  -- Of all entries of the batch, to find those that show a customer without taking each apart.
  b.customers as batch_customers,
  -- What the list was narrowed by, as parameters of the API; null for nothing.
  e.entry -> 'filters' as filters,
  -- Null for the newest first.
  e.entry ->> 'sort' as sort
from clientele.audit_batches as b, lateral (
  select a.entry, a.ordinality,
    (sum((a.entry ->> 'shown')::int) over (order by a.ordinality) - (a.entry ->> 'shown')::int)::int as before
  from jsonb_array_elements(coalesce(
    clientele.audit_json(b.entries, b.customers),
    jsonb_build_array(jsonb_build_object('at', b.stored_at, 'kind', 'none', 'caller', '', 'name', '', 'address', '',
      'action', 'unreadable', 'request', '', 'page', 0, 'per_page', 0, 'shown', 0))
  )) with ordinality as a(entry, ordinality)
) as e;
