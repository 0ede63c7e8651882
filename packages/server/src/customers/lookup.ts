import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUuid, type Lane, type Statement, type View, wireColumns } from '@clientele/directory';
import { SharedWork } from '../responses/shared-work.ts';

const lookup = (view: View): Statement => ({
  name: 'lookup',
  text: `select w.uuid::text as id, row_to_json(w)::text as customer
         from (
           select ${wireColumns[view]} from only public.customers as c where c.uuid = any ($1::uuid[])
         ) as w`,
});

/** Customers as JSON, by identifier. */
type Found = Map<string, string>;

interface Batch {
  ids: Set<string>;
  found: SharedWork<Found>;
}

/** Finds one customer. Requests that arrive while all connections are busy share one query. */
export class CustomerLookup {
  readonly #lane: Lane;
  readonly #statement: Statement;
  /** The batch that is waiting for a connection. */
  #waiting: Batch | undefined;

  constructor(lane: Lane, view: View = 'full') {
    this.#lane = lane;
    this.#statement = lookup(view);
  }

  /** Undefined for anything that is not the identifier of a customer, malformed or not. */
  async find(id: string, signal: AbortSignal): Promise<string | undefined> {
    if (!isUuid(id)) return undefined;
    const key = id.toLowerCase();
    if (!this.#waiting || this.#waiting.found.abandoned) this.#waiting = this.#gather();
    this.#waiting.ids.add(key);
    return (await this.#waiting.found.join(signal)).get(key);
  }

  #gather(): Batch {
    const ids = new Set<string>();
    const close = (): void => {
      if (this.#waiting?.ids === ids) this.#waiting = undefined;
    };
    const found = new SharedWork(async (signal) => {
      // Requests that arrived in the same packet are parsed within one turn of the event loop.
      await nextTurn();
      const takeIds = (): unknown[] => {
        close();
        return [[...ids]];
      };
      try {
        const rows = await this.#lane.query<{ id: string; customer: string }>(
          this.#statement,
          takeIds,
          signal,
        );
        return new Map(rows.map(({ id, customer }) => [id, customer]));
      } finally {
        close();
      }
    });
    return { ids, found };
  }
}
