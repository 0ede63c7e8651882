/** How the list is cut into blocks: the same for all maps, and all nodes, until much has changed. */
import type { Lane } from '../../db/lane.ts';
import { chooseBounds, type Bounds } from './count.ts';

export class BlockBounds {
  #chosen: { lane: Lane; bounds: Promise<Bounds> } | undefined;
  /** The places of those that new maps are counted by. */
  #current: Float64Array | undefined;

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
      const bounds = await chooseBounds(lane);
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
  }
}
