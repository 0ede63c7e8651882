/**
 * The wire format of a customer, made by the database: the columns are the wire fields, so a row's JSON
 * is sent as it is, without being parsed and serialised again.
 */
import { fieldOf, wireFields, type FieldName } from '@clientele/contract/customer-fields';
import type { View } from './view.ts';

const isHidden = (view: View, name: FieldName): boolean =>
  view === 'masked' && fieldOf(name).contact === true;

function wireColumn(view: View, name: FieldName): string {
  const { kind, nullable } = fieldOf(name);
  if (isHidden(view, name)) return `${nullable ? 'null' : "''"}::text as ${name}`;
  if (kind !== 'instant') return `c.${name}`;
  return `to_char(c.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`;
}

const columns = (view: View): string =>
  wireFields.map((name) => wireColumn(view, name)).join(',\n');

/** The select list for a table or subquery called `c`; a row of it in JSON is a wire customer. */
export const wireColumns: Record<View, string> = {
  full: columns('full'),
  masked: columns('masked'),
};

/** What the wire columns of a view, and the list's order, are made of. */
export const rowColumns: Record<View, string> = {
  full: 'm.*',
  masked: wireFields
    .filter((name) => !isHidden('masked', name))
    .map((name) => `m.${name}`)
    .join(', '),
};
