-- Three roles: the owner migrates (whoever runs this), the writer imports, the reader serves. What a role may do is granted
-- to it by name, next to the table or function. Public may execute only what computes, and reads and writes nothing: else
-- anybody could put the triggers of the change log, which run as their owner, on a table of their own.

-- Roles belong to the whole cluster, so another database may have made them already, or be making them at this moment.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['clientele_reader', 'clientele_writer'] loop
    begin
      if not exists (select from pg_roles where rolname = role_name) then
        execute format('create role %I nologin', role_name);
      end if;
    exception when duplicate_object or unique_violation then
      null;
    end;
    -- From 16 on, whoever creates a role is a member that may not yet act as it.
    if not pg_has_role(current_user, role_name,
      case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end)
    then
      execute format('grant %I to current_user', role_name);
    end if;
  end loop;
end
$$;

grant usage on schema public, clientele to clientele_reader, clientele_writer;
-- Whoever may write customers computes what they are found by: set_name_text() looks up search_text() as the writer.
grant usage on schema clientele to public;
grant select on clientele.migrations to clientele_reader, clientele_writer;

-- Only imports create temporary tables, in which they stage batches.
do $$
begin
  execute format('grant temporary on database %I to clientele_writer', current_database());
  execute format('revoke temporary on database %I from public', current_database());
exception when insufficient_privilege then
  raise notice 'could not revoke temporary tables from public: ask the database''s owner';
end
$$;

-- Where we may (superusers), keep bind values out of PostgreSQL's log: a search is personal data.
do $$
begin
  execute format('alter database %I set log_parameter_max_length = 0', current_database());
  execute format('alter database %I set log_parameter_max_length_on_error = 0', current_database());
exception when insufficient_privilege then
  raise notice 'could not set log_parameter_max_length: ask an administrator';
end
$$;
