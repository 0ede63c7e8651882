/** Columns and keys that are not used: a typo in one loses its values without an error. */
import { foldName, nearest, quoted, shellQuoted } from './column-names.ts';
import { fieldNames } from './fields.ts';
import { maxUnusedKeys } from './match-keys.ts';

const shownNames = 40;

export function shortList(names: readonly string[]): string {
  const more = names.length - shownNames;
  const shown = names.slice(0, shownNames).join(', ');
  return more > 0
    ? `${shown} and ${more}${more + shownNames >= maxUnusedKeys ? ' or' : ''} more`
    : shown;
}

export function withSuggestion(name: string): string {
  const near = nearest(name, fieldNames);
  // A field's own name is unused only because another column gives the field.
  return near && foldName(near) !== foldName(name)
    ? `${quoted(name)} (did you mean ${near}? --map ${shellQuoted(`${name}=${near}`)})`
    : quoted(name);
}

/** Of a feed. */
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
