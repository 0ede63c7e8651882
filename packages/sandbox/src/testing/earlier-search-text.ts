/** Customers whose search text was computed by an earlier rule, as after an upgrade that changes the rules. */
import type { TestDatabase } from './test-database.ts';

const name = 'clientele.search_text(text, text, text, text)';

/** What `write` inserts has no other spellings, until `clientele prepare search-text` has run. */
export async function withEarlierSearchText(
  database: TestDatabase,
  write: () => Promise<unknown>,
): Promise<void> {
  const [current] = await database.query<{ definition: string }>(
    `select pg_get_functiondef('${name}'::regprocedure) as definition`,
  );
  await database.query(
    `create or replace function clientele.search_text(
       full_name text, email_address text, company_name text, phone_number text
     ) returns text
       language sql immutable parallel safe
     return ' ' || clientele.mark(
         clientele.fold(concat_ws(' ', full_name, email_address, company_name, phone_number)))
       || E'\\x01' || coalesce(regexp_replace(clientele.fold(phone_number), '[^0-9]+', '', 'g'), '')`,
  );
  await write();
  await database.query(current!.definition);
  await database.query(
    'insert into clientele.search_refresh select where exists (select from public.customers)',
  );
}
