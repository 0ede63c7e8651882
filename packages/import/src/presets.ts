/** What the exports of common systems look like. A system is recognised by columns that only it writes together. */
import { foldName } from './column-names.ts';
import type { Field } from './fields.ts';
import { descriptions, type Description } from './preset-list.ts';

export interface Preset extends Omit<Description, 'columns'> {
  system: string;
  /** Put before identifiers: customer 17 of one system is not customer 17 of another. */
  scope: string;
  /** By folded name, for columns that no other system names like this. */
  fields: ReadonlyMap<string, Field>;
  /** The nested values of JSON among them, as paths. */
  paths: readonly string[];
}

const presets = Object.entries(descriptions).map(([system, { columns, ...rest }]): Preset => {
  const names = Object.keys(columns);
  return {
    ...rest,
    system,
    scope: `${foldName(system)}:`,
    fields: new Map(names.map((name) => [foldName(name), columns[name]!])),
    paths: names.filter((name) => name.includes('.')),
  };
});

/** The values of a column in the first records, empty where there is none. */
export type ValuesOf = (column: string) => string[];

/** `names` are the columns of a table, or the keys of a JSON object. */
export function recognise(names: readonly string[], valuesOf: ValuesOf): Preset | undefined {
  const found = new Set(names.map(foldName));
  return presets.find(
    (preset) =>
      preset.signatures.some((signature) => signature.every((name) => found.has(foldName(name)))) &&
      hasShape(preset, valuesOf(findName(names, preset.ids) ?? '')),
  );
}

/** The system whose identifiers a column seems to have, by its name and its values. */
export const presetOfIds = (column: string, values: readonly string[]): Preset | undefined =>
  presets.find(
    (preset) =>
      values.some(Boolean) &&
      preset.ownIds?.some((name) => foldName(name) === foldName(column)) &&
      hasShape(preset, values),
  );

const hasShape = ({ idShape }: Preset, values: readonly string[]): boolean =>
  idShape === undefined || values.every((value) => value === '' || idShape.test(value));

export const presetOf = (scope: string | undefined): Preset | undefined =>
  presets.find((preset) => preset.scope === scope);

export function findName(names: readonly string[], wanted: readonly string[]): string | undefined {
  for (const each of wanted) {
    const found = names.find((name) => foldName(name) === foldName(each));
    if (found !== undefined) return found;
  }
  return undefined;
}
