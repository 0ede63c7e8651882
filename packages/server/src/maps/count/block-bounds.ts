/** How a list is cut into blocks: the same for all maps in one order, and all nodes, until much has changed. */
import { randomUUID } from 'node:crypto';
import {
  estimate,
  everyone,
  type Lane,
  type Order,
  placeIn,
  type Statement,
} from '@clientele/directory';
import type { Bounds } from '../shape/bounds.ts';
import { readStoredBounds } from './stored-maps.ts';

/** Customers per block. More blocks make pages faster to reach and maps larger. */
const blockSize = 256;
const blockCount = { min: 8_192, max: 131_072 };
/** Customers sampled for each bound. */
const sampledPerBound = 18;

export class BlockBounds {
  readonly #order: Order | undefined;
  #chosen: { lane: Lane; bounds: Promise<Bounds> } | undefined;
  /** The places of those that new maps are counted by. */
  #current: Float64Array | undefined;
  /** Those that another instance has stored are good for the start, not after much has changed. */
  #dropped = false;

  constructor(order?: Order) {
    this.#order = order;
  }

  /** Chosen now, from a sample read through this lane, if they are not known. */
  async get(lane: Lane): Promise<Bounds> {
    for (;;) {
      const chosen = (this.#chosen ??= { lane, bounds: this.#choose(lane) });
      try {
        return await chosen.bounds;
      } catch (error) {
        // Where another node has failed, this one tries.
        if (chosen.lane === lane) throw error;
      }
    }
  }

  async #choose(lane: Lane): Promise<Bounds> {
    try {
      const customers = await estimate(lane, everyone.full);
      const mayBeStored = !this.#order && !this.#dropped;
      const stored = mayBeStored ? await readStoredBounds(lane) : undefined;
      const bounds = {
        ...(stored ?? (await chooseBounds(lane, customers, this.#order))),
        customers,
      };
      this.#current = bounds.places;
      return bounds;
    } catch (error) {
      this.#chosen = undefined;
      throw error;
    }
  }

  /** Has the blocks cut again, unless it was done since a map was counted by these bounds. */
  drop(bounds: Float64Array): void {
    if (bounds !== this.#current) return;
    this.#chosen = undefined;
    this.#current = undefined;
    this.#dropped = true;
  }
}

async function chooseBounds(lane: Lane, customers: number, order: Order | undefined) {
  const wanted = Math.max(blockCount.min, customers / blockSize);
  const count = Math.round(Math.min(blockCount.max, wanted));
  const percent = Math.min(100, (100 * sampledPerBound * count) / Math.max(1, customers));
  const [row] = await lane.query<{ bounds: number[] }>(boundsStatement(order), [
    percent,
    count - 1,
  ]);
  return { id: randomUUID(), places: Float64Array.from(row!.bounds) };
}

/** $2 places that cut a sample of $1 per cent of the list into equal parts, ascending. */
const boundsStatement = (order: Order | undefined): Statement => ({
  name: order ? `bounds-by-${order}` : 'bounds',
  text: `
    select array(
      select distinct unnest(percentile_disc(
        array(select i / ($2::float8 + 1) from generate_series(1, $2::int) as i)
      ) within group (order by ${placeIn(order, 's')})) as bound
      from only public.customers as s tablesample system ($1::float8)
      order by bound
    ) as bounds`,
});
