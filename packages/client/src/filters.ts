import type { Sort } from './wire.ts';

/** Which of the matching customers a list contains. Filters that are not set have no effect. */
export interface CustomerFilters {
  /** `true`: only verified customers; `false`: only the others. */
  verified?: boolean | undefined;
  /** `true`: only customers with orders; `false`: only those without. */
  hasOrders?: boolean | undefined;
  /** Only customers who joined at this time or later. A date such as `2024-03-01` is its start in UTC. */
  joinedFrom?: string | Date | undefined;
  /** Only customers who joined before this time. */
  joinedTo?: string | Date | undefined;
}

/** Which of the matching customers a list contains, and in which order. */
export interface ListSelection extends CustomerFilters {
  /**
   * A field for ascending order, or `-` and a field for descending order. Defaults to `-created_at`. Any other field has to
   * be switched on at the server, which otherwise answers with the code `sort-not-available`.
   */
  sort?: Sort | undefined;
}

/** What is set of it, in a fixed order. */
export function selectionOf({ sort, ...filters }: ListSelection): WireSelection {
  return withoutUndefined({ ...filtersOf(filters), sort });
}

type WireSelection = WireFilters & Pick<ListSelection, 'sort'>;

/** The filters that are set, in a fixed order. Dates become ISO 8601. */
export function filtersOf({
  verified,
  hasOrders,
  joinedFrom,
  joinedTo,
}: CustomerFilters): WireFilters {
  return withoutUndefined({ verified, hasOrders, joinedFrom, joinedTo });
}

type WireFilters = { [Name in keyof CustomerFilters]: Exclude<CustomerFilters[Name], Date> };

/** Of parameters as JSON has them. */
export function withoutUndefined<Params>(params: object): Params {
  return JSON.parse(JSON.stringify(params)) as Params;
}
