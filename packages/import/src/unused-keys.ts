/** Keys of a feed that are not used: a typo in one loses its values without an error. */
import { maxUnusedKeys } from './match-keys.ts';
import { shortList, withSuggestion } from './table.ts';

export class UnusedKeys {
  readonly #counts = new Map<string, number>();

  /** Of one record. */
  add(keys: readonly string[]): void {
    for (const key of keys) {
      // Sync reads it, as far as it knows it.
      if (key === 'op') continue;
      const count = this.#counts.get(key) ?? 0;
      if (count > 0 || this.#counts.size < maxUnusedKeys) this.#counts.set(key, count + 1);
    }
  }

  /** Undefined if all were used. */
  describe(): string | undefined {
    if (this.#counts.size === 0) return undefined;
    const keys = [...this.#counts].map(
      ([key, count]) => `${withSuggestion(key)} in ${count} ${count === 1 ? 'record' : 'records'}`,
    );
    return `not used: ${shortList(keys)}`;
  }
}
