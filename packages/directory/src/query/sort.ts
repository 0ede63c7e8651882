/** The order of a list: a parameter of the API (docs/api.md) and of commands, and what it means in the database. */
import type { ParameterProblem, Sort, SortField } from '@clientele/contract';
import { sortFields } from '@clientele/contract/customer-fields';
import type { Order } from '../db/orders.ts';
import type { QueryValues } from './query-string.ts';

const sorts = new Set<string>(sortFields.flatMap((field) => [field, `-${field}`]));

/** Undefined for the order that every list has without the parameter. A fault is added to the errors. */
export function parseSort(values: QueryValues, errors: ParameterProblem[]): Sort | undefined {
  const text = values.get('sort');
  if (text === undefined || text === '-created_at') return undefined;
  if (text !== null && sorts.has(text)) return text as Sort;
  const detail = `sort must be one of ${sortFields.join(', ')}, or one of them after a hyphen for descending order.`;
  errors.push({ parameter: 'sort', code: 'invalid-sort', detail });
  return undefined;
}

/** Undefined for the time of creation. */
export function orderOf(sort: Sort | undefined): Order | undefined {
  const field = (sort ?? '-created_at').replace('-', '') as SortField;
  return field === 'created_at' ? undefined : field;
}

export const isAscending = (sort: Sort | undefined): boolean =>
  sort !== undefined && !sort.startsWith('-');

/** The place of a row of public.customers in an order. */
export const placeIn = (order: Order | undefined, row: string): string =>
  order ? `clientele.sort_place(${row}.${order}, ${row}.place)` : `${row}.place`;

/** The column of the change log that has it, before or after a change. */
export const loggedPlace = (order: Order | undefined, when: 'old' | 'new'): string =>
  order ? `${when}_by_${order}` : `${when}_place`;

/** Whether an entry of the change log may concern lists in this order. Moves concern no list that has none. */
export const concerns = (order: Order | undefined): string => (order ? 'true' : 'not e.move');

/** As SQL, for rows `row` of public.customers. Equal values are sorted by creation, and those by identifier. */
export function orderBy(row: string, order: Order | undefined, ascending: boolean): string {
  const [way, nulls] = ascending ? ['asc', 'first'] : ['desc', 'last'];
  const value = order ? `${row}.${order} ${way} nulls ${nulls}` : `${row}.place ${way}`;
  return `${value}, ${row}.created_at ${way}, ${row}.uuid ${way}`;
}
