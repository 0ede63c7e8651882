/** Columns called `Name` have whole names, family names or given names, depending on the others and on their values. */
import { foldName } from './column-names.ts';
import type { Field } from './fields.ts';
import type { ValuesOf } from './presets.ts';

/** `Nome` and `Nombre` are given names next to `Cognome` and `Apellido`. */
const givenNextToFamily = new Set(['nome', 'nombre']);

interface NameOptions {
  idColumn: number | undefined;
  /** Whether the column's field is certain. */
  isGiven: (name: string) => boolean;
  valuesOf: ValuesOf;
}

/** Corrects the fields of columns that are not whole names after all. */
export function resolveNames(
  names: readonly string[],
  fields: (Field | undefined)[],
  { idColumn, isGiven, valuesOf }: NameOptions,
): void {
  const full = fields.indexOf('full_name');
  const first = fields.indexOf('first_name');
  const last = fields.indexOf('last_name');
  if (full < 0 || (first < 0 && last < 0) || isGiven(names[full]!)) return;
  if (full === idColumn) fields[full] = undefined;
  else if (first < 0 && givenNextToFamily.has(foldName(names[full]!))) fields[full] = 'first_name';
  else if (first >= 0 && !contains(valuesOf(names[full]!), valuesOf(names[first]!))) {
    fields[full] = last < 0 ? 'last_name' : undefined;
  }
}

/** Whether most whole names contain the given name of the same record. */
function contains(whole: readonly string[], given: readonly string[]): boolean {
  const pairs = whole
    .map((name, i) => [foldName(name), foldName(given[i] ?? '')] as const)
    .filter(([name, part]) => name !== '' && part !== '');
  const containing = pairs.filter(([name, part]) => name.includes(part)).length;
  return containing * 2 >= pairs.length;
}
