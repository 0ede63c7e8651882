/** A map that evicts its least recently used entries once their sizes add up to more than `max`. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  #max: number;
  readonly #sizeOf: (value: V) => number;
  #used = 0;
  #evictions = 0;

  /** By default every entry has size 1, so `max` is their number. A value's size must not change. */
  constructor(max: number, sizeOf: (value: V) => number = () => 1) {
    this.#max = max;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  get max(): number {
    return this.#max;
  }

  /** Fewer entries may fit now. */
  set max(max: number) {
    this.#max = max;
    this.#evict();
  }

  /** How many entries have had to make room for others. */
  get evictions(): number {
    return this.#evictions;
  }

  /** The sizes of all entries, added up. */
  get used(): number {
    return this.#used;
  }

  /** Marks the entry as just used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Does not mark the entry as used. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#used += this.#sizeOf(value);
    this.#evict();
  }

  #evict(): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#used <= this.#max) break;
      this.delete(oldest);
      this.#evictions += 1;
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#used -= this.#sizeOf(value);
  }

  clear(): void {
    this.#entries.clear();
    this.#used = 0;
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }
}
