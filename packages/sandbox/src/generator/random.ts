/**
 * Random numbers that are a pure function of a key and an index, and draws based on them.
 * Uses only 32-bit integer arithmetic: fast, and the same on every machine.
 */

/** The number of keys, and the number of indices per key: both are 32-bit integers. */
export const keyCount = 2 ** 32;

/** A bijection on the 32-bit integers that scatters neighbours (MurmurHash3's finalizer). */
export function scatter(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** xoroshiro64**. One instance can be restarted for any number of keys. */
export class Random {
  #a = 1;
  #b = 0;

  /** Makes all further numbers depend on `key` and `index` only. */
  restart(key: number, index: number): this {
    this.#a = scatter(index ^ scatter(key ^ 0x3c6ef372));
    this.#b = scatter(Math.imul(index, 0x9e3779b1) + scatter(key ^ 0x1b873593));
    if ((this.#a | this.#b) === 0) this.#a = 1; // The all-zero state would never change.
    return this;
  }

  /** An unsigned 32-bit integer. */
  next(): number {
    const a = this.#a;
    const product = Math.imul(a, 0x9e3779bb);
    const b = this.#b ^ a;
    this.#a = ((a << 26) | (a >>> 6)) ^ b ^ (b << 9);
    this.#b = (b << 13) | (b >>> 19);
    return Math.imul((product << 5) | (product >>> 27), 5) >>> 0;
  }

  /** In [0, 1). */
  unit(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** An integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.unit() * bound);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }
}

export type Draw<T> = (random: Random) => T;

/** Draws an index with the given weights, in constant time (Vose's alias method). */
export function weightedIndex(weights: readonly number[]): Draw<number> {
  const size = weights.length;
  if (size === 0) throw new Error('Cannot draw from an empty list.');
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const keep = Float64Array.from(weights, (weight) => (weight * size) / total);
  const alias = Int32Array.from(weights, (_, index) => index);
  const poor = [...keep.keys()].filter((index) => keep[index]! < 1);
  const rich = [...keep.keys()].filter((index) => keep[index]! >= 1);
  while (poor.length > 0 && rich.length > 0) {
    const taker = poor.pop()!;
    const giver = rich.at(-1)!;
    alias[taker] = giver;
    keep[giver]! -= 1 - keep[taker]!;
    if (keep[giver]! < 1) poor.push(rich.pop()!);
  }
  for (const index of [...poor, ...rich]) keep[index] = 1; // Only rounding errors are left.
  return (random) => {
    const point = random.unit() * size;
    const index = Math.floor(point);
    return point - index < keep[index]! ? index : alias[index]!;
  };
}

/** Draws a rank from a Zipf distribution: the first ranks are common, the last ones rare. */
export function skewedIndex(size: number, exponent: number): Draw<number> {
  return weightedIndex(Array.from({ length: size }, (_, rank) => (rank + 2) ** -exponent));
}

/** Draws an item. Items are listed most common first. */
export function skewed<T>(items: readonly T[], exponent = 0.9): Draw<T> {
  const index = skewedIndex(items.length, exponent);
  return (random) => items[index(random)]!;
}

/** Draws from one of several weighted sources. */
export function mixed<T>(
  ...sources: readonly (readonly [weight: number, draw: Draw<T>])[]
): Draw<T> {
  const index = weightedIndex(sources.map(([weight]) => weight));
  return (random) => sources[index(random)]![1](random);
}
