/** In which step each record of a batch is merged. */
import { opCodes } from './copy-line.ts';
import { givenBits, type CustomerRow } from './customer-row.ts';

/**
 * Of the records of a customer in one layer, only the newest is applied. That equals applying them one by
 * one only if all give the same fields, so a record of another shape starts the customer's next layer.
 */
export class Layers {
  readonly #combinations: number;
  readonly #shapes: number;
  /** The layer and the shape of the latest record of each customer, as one number. */
  readonly #latest = new Map<string, number>();

  /** `optional`: how many fields a record may leave out. */
  constructor(optional = Object.keys(givenBits).length) {
    this.#combinations = 2 ** optional;
    this.#shapes = Object.keys(opCodes).length * this.#combinations;
  }

  /** How many customers have a record. */
  get customers(): number {
    return this.#latest.size;
  }

  of({ uuid, op, given }: Pick<CustomerRow, 'uuid' | 'op' | 'given'>): number {
    const shape = opCodes[op] * this.#combinations + given;
    const before = this.#latest.get(uuid);
    if (before === undefined) {
      this.#latest.set(detachedCopy(uuid), shape);
      return 0;
    }
    const layer = Math.floor(before / this.#shapes) + (before % this.#shapes === shape ? 0 : 1);
    this.#latest.set(uuid, layer * this.#shapes + shape);
    return layer;
  }

  clear(): void {
    this.#latest.clear();
  }
}

const uuidBytes = Buffer.alloc(36);

/** V8 keeps the whole record in memory as long as a slice of it is referenced. */
function detachedCopy(uuid: string): string {
  return uuidBytes.toString('latin1', 0, uuidBytes.write(uuid, 'latin1'));
}
