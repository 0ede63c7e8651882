-- The namespace of identifiers that imports derive (--id-column). The one that programs contain is public: whoever
-- may look up customers could compute the identifier of a customer number and test whether it exists. New installations
-- have a secret one. Those with customers or imports keep the public one, or the next import would add everybody again.
-- oldest program: 000013

create table clientele.id_namespace (
  only_row boolean primary key default true check (only_row),
  namespace uuid not null
);

insert into clientele.id_namespace (namespace)
select case
  when exists (select from public.customers)
    or exists (select from clientele.imports)
    or exists (select from clientele.gone_customers)
  then '3d1f0a5e-6b7c-4c0f-9a0e-5a1d4f6b2c88'
  else gen_random_uuid()
end;

grant select on clientele.id_namespace to clientele_writer;
