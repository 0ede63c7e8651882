-- Sorted lists, and lists for keys that see no contact details, are counted and read faster: docs/decisions/sort.md.
-- PostgreSQL runs a statement in one process if it calls any function that is not declared parallel safe. Before
-- version 18, it also plans the body of an SQL function again in every statement that calls it.
-- oldest program: 000013

-- As before, in a language that keeps the plan.
create or replace function clientele.masking_triggers() returns text
  language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select string_agg(t.oid || ' ' || t.xmin::text, ', ' order by t.tgname)
    from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass and t.tgenabled = 'A'
      and t.tgname in ('zz_new_name_text', 'zz_name_text', 'log_name_text')
    having count(*) = 3
  );
end
$$;

create or replace function clientele.sort_triggers() returns text
  language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select string_agg(t.oid || ' ' || t.xmin::text, ', ' order by t.tgname)
    from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass
      and t.tgname in ('log_inserts', 'log_replicated_inserts', 'log_updates', 'log_moves', 'log_deletes',
        'log_truncate', 'log_name_text')
    having count(*) filter (where t.tgname <> 'log_name_text') = 6
      and bool_and(t.tgnargs = 1 or t.tgname = 'log_truncate')
      and bool_and(t.tgenabled = case t.tgname
        when 'log_inserts' then 'O' when 'log_replicated_inserts' then 'R' else 'A' end)
  );
end
$$;
