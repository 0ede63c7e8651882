/** Everything that a directory can have prepared while it is in use, as `clientele prepare` names it. */
import type pg from 'pg';
import type { ChangeOptions, PreparedState } from './online-change.ts';
import { addOrder, listOrders, type Order } from './orders.ts';
import { maskingState, prepareMasking } from './prepare-masking.ts';
import { pendingRefresh, refreshSearch } from './refresh-search.ts';

export type Preparation = `sort ${Order}` | 'masking' | 'search-text';

export async function listPreparations(
  client: pg.ClientBase,
): Promise<{ name: Preparation; state: PreparedState }[]> {
  const sorted = (await listOrders(client)).map(
    ({ name, state }) => ({ name: `sort ${name}`, state }) as const,
  );
  return [
    ...sorted,
    { name: 'masking', state: await maskingState(client) },
    { name: 'search-text', state: (await pendingRefresh(client)) ? 'unfinished' : 'on' },
  ];
}

/** Does what is missing, or compares all customers and corrects them. Returns how many had to be written. */
export async function prepare(
  client: pg.ClientBase,
  name: Preparation,
  options: ChangeOptions = {},
): Promise<number> {
  if (name === 'masking') return prepareMasking(client, options);
  if (name === 'search-text') return refreshSearch(client, options);
  return addOrder(client, name.slice('sort '.length) as Order, options);
}
