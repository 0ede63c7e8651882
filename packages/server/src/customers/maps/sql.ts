/** The statements of the list. Terms are text[] parameters of LIKE patterns: see ../search.ts. */
import type { Statement } from '../../db/lane.ts';
import { wireColumns } from '../to-wire.ts';
import { momentColumns, snapshotName } from './search-state.ts';

/** Made once for each number of terms. */
function forTerms<Rest extends string[]>(
  make: (terms: number, ...rest: Rest) => Statement,
): (terms: number, ...rest: Rest) => Statement {
  const made = new Map<string, Statement>();
  return (terms, ...rest) => {
    const key = `${terms} ${rest.join(' ')}`;
    let statement = made.get(key);
    if (!statement) made.set(key, (statement = make(terms, ...rest)));
    return statement;
  };
}

/**
 * Whether a row called `row` matches the patterns of so many terms, given as parameters from $first on.
 * Where a plan is made for its values, a pattern that is null vanishes, and each other one is a scan of
 * the trigram index. Written as `like any (array)`, every combination of alternatives would be one.
 */
export function matches(row: string, terms: number, first: number): string {
  if (terms === 0) return 'true';
  const like = (parameter: number): string => `${row}.search_text like $${first + parameter}`;
  const each = Array.from(
    { length: terms },
    (_, i) => `(${like(1 + 2 * i)} or ${like(2 + 2 * i)})`,
  );
  return `(${like(0)} or ${each.join(' and ')})`;
}

const seen = (terms: number, first: number, since: string): string => `
  with seen as materialized (
    select e.xid, e.sign, e.place
    from clientele.changes as e
    where e.xid >= ${since} and (e.sign = 0 or (${matches('e', terms, first)}))
  )`;

const newestFirst = (row: string): string =>
  `order by ${row}.place desc, ${row}.created_at desc, ${row}.uuid desc`;

/** From the n-th below a place on. Those before it are passed in the index alone. */
const everyoneBelow = `
  select m.*
  from public.customers as m
  where (m.place, m.created_at, m.uuid) <= (
    select k.place, k.created_at, k.uuid
    from public.customers as k
    where k.place < $4::float8
    ${newestFirst('k')}
    limit 1 offset $3
  )
  ${newestFirst('m')}
  limit $2`;

const matchesFrom = (start: string, terms: number): string => `
  select m.*
  from public.customers as m
  where ${start} and ${matches('m', terms, 6)}
  ${newestFirst('m')}
  limit $2 offset $3`;

/**
 * A page and the moment of its snapshot. $1 since, $2 limit, $3 skip, $4 where it starts, $5 the
 * snapshot in which the page is known already, then the terms. The page comes as the text of a JSON
 * array's inside: nobody here reads it, so nobody parses and writes it again. Rows keep their order, as
 * nothing stands between it and the aggregate.
 */
export const pageStatement = forTerms((terms: number, startsAt: 'below' | 'places'): Statement => {
  const rows =
    startsAt === 'places'
      ? matchesFrom('m.place = any ($4::float8[])', terms)
      : terms === 0
        ? everyoneBelow
        : matchesFrom('m.place < $4::float8', terms);
  return {
    name: `page-${startsAt}-${terms}`,
    text: `${seen(terms, 6, '$1::xid8')}, snapshot as materialized (select ${snapshotName} as name)
      select ${momentColumns}, n.name as snapshot, case when n.name = $5 then null else (
        select string_agg(row_to_json(w)::text, ',')
        from (select ${wireColumns} from (${rows}) as c) as w
      ) end as page
      from snapshot as n`,
  };
});

/** The moment of a snapshot in which a search is being counted. The terms start at $1. */
export const momentStatement = forTerms((terms: number): Statement => {
  return {
    name: `moment-${terms}`,
    text: `${seen(terms, 1, 'pg_snapshot_xmin(pg_current_snapshot())')} select ${momentColumns}`,
  };
});

/** The planner's guess of the number of matches. */
export const estimateStatement = forTerms((terms: number): Statement => {
  return {
    name: `estimate-${terms}`,
    text: `explain (format json) select from public.customers as m where ${matches('m', terms, 1)}`,
  };
});

/** The place of every match, newest first, as the bytes of float8; at most $1 of them. */
export const placesStatement = forTerms((terms: number): Statement => {
  return {
    name: `places-${terms}`,
    text: `
      select string_agg(float8send(p.place), '' order by p.place desc) as places
      from (select m.place from public.customers as m where ${matches('m', terms, 2)} limit $1) as p`,
  };
});

/** How many matches lie in each block between the bounds $1: pairs of int4, as bytes. */
export const blocksStatement = forTerms((terms: number): Statement => {
  return {
    name: `blocks-${terms}`,
    text: `
      select string_agg(int4send(b.block) || int4send(b.matches), '') as blocks
      from (
        select width_bucket(m.place, $1::float8[]) as block, count(*)::int as matches
        from public.customers as m
        where ${matches('m', terms, 2)}
        group by 1
      ) as b`,
  };
});

/** $2 places that cut a sample of $1 per cent of the list into equal parts, rising. */
export const boundsStatement: Statement = {
  name: 'bounds',
  text: `
    select array(
      select distinct unnest(percentile_disc(
        array(select i / ($2::float8 + 1) from generate_series(1, $2::int) as i)
      ) within group (order by s.place)) as bound
      from public.customers as s tablesample system ($1::float8)
      order by bound
    ) as bounds`,
};
