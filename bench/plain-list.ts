/**
 * The list as it is commonly made: count(*) and offset in one statement, rows parsed and written again.
 * Drivers are compared on it, as it asks more of them than the server's own way does.
 */
import type { WireCustomer, WireCustomerList } from '@clientele/contract';
import type { ListQuery } from '../packages/server/src/customers/list-query.ts';
import { wireColumns } from '../packages/server/src/customers/to-wire.ts';
import type { Statement } from '../packages/server/src/db/lane.ts';

interface PlainLane {
  query<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

export interface PlainLanes {
  lookups: PlainLane;
  lists: PlainLane;
  searches: PlainLane;
}

/** The columns are null where the page is empty. */
type Row = { total: number } & (WireCustomer | { uuid: null });

interface Patterns {
  phone: string | null;
  terms: { text: string; digits: string | null }[];
}

const patternsOf = {
  name: 'search-patterns',
  text: 'select clientele.search_patterns($1) as patterns',
};

function pageAndTotal(name: string, condition: string): Statement {
  return {
    name: `list-${name}`,
    text: `
      select matched.total, ${wireColumns}
      from (select count(*) as total from public.customers as m where ${condition}) as matched
      left join (
        select m.*
        from public.customers as m
        where ${condition}
        order by m.place desc, m.created_at desc, m.uuid desc
        limit $1 offset $2
      ) as c on true
      order by c.created_at desc, c.uuid desc`,
  };
}

const everyone = pageAndTotal('everyone', 'true');
const oneTerm = pageAndTotal('one-term', 'm.search_text like $3');
const lookup = {
  name: 'lookup',
  text: `select ${wireColumns} from public.customers as c where c.uuid = $1`,
};

export async function listPlainly(
  { lists, searches }: PlainLanes,
  { page, perPage, search }: ListQuery,
): Promise<WireCustomerList> {
  const window = [perPage, (page - 1) * perPage];
  let rows: Row[];
  if (search === '') {
    rows = await lists.query<Row>(everyone, window);
  } else {
    const [read] = await searches.query<{ patterns: Patterns }>(patternsOf, [search]);
    rows = await searches.query<Row>(oneTerm, [...window, read!.patterns.terms[0]!.text]);
  }
  return {
    data: rows.filter((row) => row.uuid !== null).map(toWire),
    pagination: { page, per_page: perPage, total: rows[0]!.total },
  };
}

export async function lookupPlainly({ lookups }: PlainLanes, id: string): Promise<WireCustomer> {
  const [row] = await lookups.query<WireCustomer>(lookup, [id]);
  return toWire(row!);
}

export function toWire(row: WireCustomer): WireCustomer {
  return {
    uuid: row.uuid,
    full_name: row.full_name,
    email_address: row.email_address,
    phone_number: row.phone_number,
    company_name: row.company_name,
    is_verified: row.is_verified,
    total_orders: row.total_orders,
    lifetime_value_cents: row.lifetime_value_cents,
    last_order_at: row.last_order_at,
    created_at: row.created_at,
  };
}
