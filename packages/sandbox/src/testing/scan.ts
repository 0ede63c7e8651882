/** Looks for text in every table of a database, as the catalogue lists them, and in the statistics. */
import type pg from 'pg';

/**
 * The tables in which one of the texts is found, whatever its case; in bytes, too. Of the system's own tables, those
 * that have values of rows in them. Must run as a superuser.
 */
export async function scan(client: pg.Client, texts: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
         and c.relpersistence <> 't'
       or c.oid in ('pg_statistic'::regclass, 'pg_statistic_ext_data'::regclass, 'pg_stats'::regclass)
     order by 1`,
  );
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  const needles = texts.flatMap((text) => [text.toLowerCase(), hex(text), hex(text.toLowerCase())]);
  const pattern = needles.map((needle) => needle.replaceAll(/[.+]/g, '[$&]')).join('|');
  const parts = rows.map(
    ({ name }) =>
      `select '${name}' as name where exists (select from ${name} as t where t::text ~* $1)`,
  );
  const found = await client.query<{ name: string }>(parts.join(' union all '), [pattern]);
  return found.rows.map(({ name }) => name);
}
