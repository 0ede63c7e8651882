/** Matches the keys of JSON objects, which may differ from record to record. */
import { matchKeys, type Matches, type MatchOptions } from './match-fields.ts';
import type { SourceRecord } from './source-record.ts';

const maxKeySets = 1_000;
/** In data whose keys are values, there is no end of them. */
export const maxUnusedKeys = 1_000;

/** The matches of each set of keys are cached. Keys that are not used are added to `unused`. */
export function keyMatcher(
  options: MatchOptions,
  unused = new Set<string>(),
): (record: SourceRecord) => Matches {
  const known = new Map<string, Matches>();
  const paths = [...options.map.keys(), ...(options.preset?.paths ?? [])]
    .filter((name) => name.includes('.'))
    .map((name) => ({ name, steps: name.split('.') }));
  return (record) => {
    if (paths.length > 0) addNested(record, paths);
    const keys = record.keys ?? [];
    const name = keys.join('\0');
    let matches = known.get(name);
    if (!matches) {
      if (known.size >= maxKeySets) known.clear();
      matches = matchKeys(keys, options);
      for (const key of matches.ignored) if (unused.size < maxUnusedKeys) unused.add(key);
      known.set(name, matches);
    }
    return matches;
  };
}

interface Path {
  name: string;
  steps: string[];
}

/** Appends the nested values that paths such as `company.name` or `emails.0.value` lead to. */
function addNested(record: SourceRecord, paths: readonly Path[]): void {
  const { keys, cells } = record;
  if (!keys) return;
  const parents = new Set<string>();
  for (const { name, steps } of paths) {
    if (keys.includes(name)) continue;
    let value: unknown = Object.fromEntries([[steps[0]!, cells[keys.indexOf(steps[0]!)]]]);
    for (const step of steps) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
        value = undefined;
        break;
      }
      value = (value as Record<string, unknown>)[step];
    }
    if (value === undefined) continue;
    parents.add(steps[0]!);
    keys.push(name);
    cells.push(value);
  }
  // What a path leads into is not a value itself.
  for (const parent of parents) {
    const at = keys.indexOf(parent);
    keys.splice(at, 1);
    cells.splice(at, 1);
  }
}
