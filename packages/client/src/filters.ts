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
