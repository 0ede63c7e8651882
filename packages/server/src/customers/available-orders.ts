/** Which orders lists can have: those that `clientele prepare sort` has switched on. */
import type { Sort } from '@clientele/contract';
import { type Order, orderOf, type Queries, type Statement } from '@clientele/directory';
import { ProblemError } from '../http/problems.ts';

/** How long the database's answer is used, in milliseconds. */
const usedForMs = 1_000;

const ordersStatement: Statement = {
  name: 'available-orders',
  text: 'select clientele.available_orders() as orders',
};

export class AvailableOrders {
  readonly #lookups: Queries;
  #known: { orders: Promise<Order[]>; until: number } | undefined;

  constructor(lookups: Queries) {
    this.#lookups = lookups;
  }

  /** @throws {ProblemError} `sort-not-available` */
  async expect(sort: Sort | undefined): Promise<void> {
    const order = orderOf(sort);
    if (order === undefined || (await this.read()).includes(order)) return;
    const detail = `The list cannot be sorted by ${order} yet. An operator can switch it on: clientele prepare sort ${order}`;
    const errors = [{ parameter: 'sort', code: 'sort-not-available' as const, detail }];
    throw new ProblemError('sort-not-available', detail, { errors });
  }

  /** The same after the database had the order off: what it answered before is not used. */
  async expectStill(sort: Sort | undefined): Promise<void> {
    this.#known = undefined;
    await this.expect(sort);
  }

  read(): Promise<Order[]> {
    if (this.#known && this.#known.until > performance.now()) return this.#known.orders;
    const orders = this.#ask();
    this.#known = { orders, until: Infinity };
    return orders;
  }

  async #ask(): Promise<Order[]> {
    let until = 0;
    try {
      const [row] = await this.#lookups.query<{ orders: Order[] }>(ordersStatement, []);
      until = performance.now() + usedForMs;
      return row!.orders;
    } finally {
      this.#known!.until = until;
    }
  }
}
