/** A search as SQL. Its patterns are parameters: see ./search.ts. */
import type { Statement } from '../db/lane.ts';

/**
 * Whether the row `row` matches the patterns of `terms` terms, given as parameters from $first on. With
 * a custom plan, a pattern that is null disappears and every other one becomes a scan of the trigram
 * index. `like any (array)` would make a scan of every combination of alternatives instead.
 */
export function matchCondition(row: string, terms: number, first: number, column: string): string {
  if (terms === 0) return 'true';
  const like = (parameter: number): string => `${row}.${column} like $${first + parameter}`;
  const each = Array.from(
    { length: terms },
    (_, i) => `(${like(1 + 2 * i)} or ${like(2 + 2 * i)})`,
  );
  return `(${like(0)} or ${each.join(' and ')})`;
}

/** Makes a statement once for each number of terms, and each value of the other arguments. */
export function perTermCount<Rest extends string[]>(
  make: (terms: number, ...rest: Rest) => Statement,
): (terms: number, ...rest: Rest) => Statement {
  const made = new Map<string, Statement>();
  return (terms, ...rest) => {
    const key = `${terms} ${rest.join(' ')}`;
    let statement = made.get(key);
    if (!statement) made.set(key, (statement = make(terms, ...rest)));
    return statement;
  };
}
