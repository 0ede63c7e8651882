/** Which field the name of a column means. */
import { foldName } from './column-names.ts';
import { fieldNames, fileFields, type Field } from './fields.ts';

/** Other names of fields, folded with `foldName`, the usual ones first. */
export const synonyms = byName(
  Object.fromEntries(fieldNames.map((field) => [field, fileFields[field].aliases ?? ''])),
);
/** Used only if there is nothing better. */
export const substitutes = byName({
  phone_number: 'mobile mobilephone mobilephonenumber cell handy',
});

function byName(names: Partial<Record<Field, string>>): Map<string, Field> {
  const fields = Object.entries(names) as [Field, string][];
  return new Map(fields.flatMap(([field, list]) => list.split(' ').map((name) => [name, field])));
}

export const exact = new Map(fieldNames.map((field) => [foldName(field), field]));

export function fieldOf(name: string): Field | undefined {
  const folded = foldName(name);
  return exact.get(folded) ?? synonyms.get(folded);
}
