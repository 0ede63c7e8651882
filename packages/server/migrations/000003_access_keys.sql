-- Keys are kept as a public id and the SHA-256 of a 256-bit random secret; see src/keys.
create table clientele.access_keys (
  id text primary key check (id ~ '^[0-9a-z]{12}$'),
  name text not null check (length(name) between 1 and 100),
  secret_hash bytea not null check (length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3)
);
