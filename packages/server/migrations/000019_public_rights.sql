-- What a role may run is granted to it by name. PUBLIC could execute every function, and so put the triggers of
-- the change log, which run as their owner, on a temporary table of its own: the log then had entries of customers
-- that do not exist, and every total counted them.
-- oldest program: 000013

revoke execute on all functions in schema clientele from public;

-- These compute, and read and write nothing. Whoever writes customers executes them, by their generated columns.
grant execute on function clientele.fold, clientele.mark, clientele.search_text, clientele.search_patterns,
  clientele.place to public;
grant execute on function clientele.erase_customer, clientele.lock_deletes to clientele_writer;

-- Only imports create temporary tables.
do $$
begin
  execute format('grant temporary on database %I to clientele_writer', current_database());
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then
  raise notice 'could not revoke temporary tables from public: ask the database''s owner';
end
$$;
