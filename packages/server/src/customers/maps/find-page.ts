/** The statement that reads a page, and what happened since the search was counted. */
import type { RunStatement, Statement } from '../../db/lane.ts';
import { matchCondition, perTermCount } from '../match-condition.ts';
import type { Terms } from '../search.ts';
import { wireColumns } from '../to-wire.ts';
import type { Start } from './page-map.ts';
import { momentColumns, seenEntries, snapshotName, type Moment } from './search-state.ts';

export interface PageRange {
  offset: number;
  limit: number;
}

export interface ReadPage extends Moment {
  /** The name of the snapshot; null where there is none. */
  snapshot: string | null;
  /** The inside of a JSON array of customers; null when the page is empty or known already. */
  customers: string | null;
}

/**
 * Reads the page that starts there, and the log's entries from `since` on, in one snapshot. The page is
 * left out if that is the snapshot in which the caller knows it already.
 */
export async function readPage(
  run: RunStatement,
  { count, patterns }: Terms,
  since: bigint,
  limit: number,
  start: Start,
  knownIn: string | null,
): Promise<ReadPage> {
  const [statement, at] =
    'below' in start
      ? [pageStatement(count, 'below'), start.below]
      : [pageStatement(count, 'places'), start.places];
  const values = [since, limit, start.skip, at, knownIn, ...patterns];
  const [row] = await run<ReadPage>(statement, values);
  return row!;
}

const newestFirst = (row: string): string =>
  `order by ${row}.place desc, ${row}.created_at desc, ${row}.uuid desc`;

/** From the n-th customer below a place on. The ones before it are skipped in the index alone. */
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
  where ${start} and ${matchCondition('m', terms, 6)}
  ${newestFirst('m')}
  limit $2 offset $3`;

/**
 * $1 since, $2 limit, $3 skip, $4 where the page starts, $5 the snapshot in which it is known, then the
 * patterns. The page comes as JSON text and is sent as it is. Nothing stands between the ordered rows
 * and the aggregate, so they keep their order.
 */
const pageStatement = perTermCount((terms: number, startsAt: 'below' | 'places'): Statement => {
  const rows =
    startsAt === 'places'
      ? matchesFrom('m.place = any ($4::float8[])', terms)
      : terms === 0
        ? everyoneBelow
        : matchesFrom('m.place < $4::float8', terms);
  return {
    name: `page-${startsAt}-${terms}`,
    text: `${seenEntries(terms, 6, '$1::xid8')},
      snapshot as materialized (select ${snapshotName} as name)
      select ${momentColumns}, s.name as snapshot, case when s.name = $5 then null else (
        select string_agg(row_to_json(w)::text, ',')
        from (select ${wireColumns} from (${rows}) as c) as w
      ) end as customers
      from snapshot as s`,
  };
});
