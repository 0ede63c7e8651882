/** The list: any page of any search, and the exact total, from one snapshot. */
import type { WireCustomer, WireCustomerList } from '@clientele/contract';
import type { Database } from '../db/database.ts';
import type { Statement } from '../db/lane.ts';
import type { ListQuery } from './list-query.ts';
import { readSearch } from './search.ts';
import { toWire, wireColumns } from './to-wire.ts';

/** The columns are null where the page is empty. */
type Row = { total: number } & (WireCustomer | { uuid: null });

export async function listCustomers(
  database: Database,
  { page, perPage, search: text }: ListQuery,
  signal: AbortSignal,
): Promise<WireCustomerList> {
  const window = [perPage, (page - 1) * perPage];
  const search = await readSearch(database.searches, text, signal);
  let rows: Row[];
  switch (search.kind) {
    case 'everyone':
      rows = await database.lists.query<Row>(everyone, window, signal);
      break;
    case 'customer':
      rows = await database.lookups.query<Row>(oneCustomer, [...window, search.uuid], signal);
      break;
    case 'patterns': {
      const { phone } = search.patterns;
      const terms = padToPowerOfTwo(search.patterns.terms);
      const values = terms.flatMap(({ text, digits }) => [text, digits]);
      rows = await database.searches.query<Row>(
        matching(terms.length),
        [...window, phone, ...values],
        signal,
      );
    }
  }
  return {
    data: rows.filter((row) => row.uuid !== null).map(toWire),
    pagination: { page, per_page: perPage, total: rows[0]!.total },
  };
}

/**
 * One statement is one snapshot, so the total and the page are of the same instant. The total stands
 * on the left of the join: past the last page it is still there.
 */
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
        order by m.created_at desc, m.uuid desc
        limit $1 offset $2
      ) as c on true
      order by c.created_at desc, c.uuid desc`,
  };
}

const everyone = pageAndTotal('everyone', 'true');
const oneCustomer = pageAndTotal('one-customer', 'm.uuid = $3');

/**
 * Planned for its values, so a pattern that is null vanishes and each other one is a scan of the trigram
 * index. Written as `like any (array)`, every combination of the arrays' elements would be one.
 */
function matching(terms: number): Statement {
  const like = (parameter: number): string => `m.search_text like $${parameter}`;
  const conditions = Array.from(
    { length: terms },
    (_, i) => `(${like(4 + 2 * i)} or ${like(5 + 2 * i)})`,
  );
  return pageAndTotal(`matching-${terms}`, `(${like(3)} or ${conditions.join(' and ')})`);
}

/** Repeating a term changes nothing, and keeps the statements that the server prepares few. */
function padToPowerOfTwo<T>(terms: T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(terms.length));
  return [...terms, ...Array<T>(length - terms.length).fill(terms[0]!)];
}
