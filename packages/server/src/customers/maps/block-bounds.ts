/** How the list is cut into blocks: the same for all maps, and all nodes, until much has changed. */
import type { Lane } from '../../db/lane.ts';
import { chooseBounds, type Bounds } from './count.ts';

export class BlockBounds {
  #chosen: Promise<Bounds> | undefined;
  /** The places of those that new maps are counted by. */
  #current: Float64Array | undefined;

  /** Chosen now, from a sample read through this lane, if they are not known. */
  get(lane: Lane): Promise<Bounds> {
    this.#chosen ??= chooseBounds(lane).then(
      (bounds) => {
        this.#current = bounds.places;
        return bounds;
      },
      (error: unknown) => {
        this.#chosen = undefined;
        throw error;
      },
    );
    return this.#chosen;
  }

  /** Has the blocks cut again, unless it was done since a map was counted by these bounds. */
  drop(bounds: Float64Array): void {
    if (bounds !== this.#current) return;
    this.#chosen = undefined;
    this.#current = undefined;
  }
}
