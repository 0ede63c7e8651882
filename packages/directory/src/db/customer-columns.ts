/** The columns of public.customers that have the fields of a customer. */
import {
  fieldOf,
  searchedFields,
  type FieldName,
  type Kind,
} from '@clientele/contract/customer-fields';

export const columnTypes: Record<Kind, string> = {
  uuid: 'uuid',
  text: 'text',
  flag: 'boolean',
  integer: 'bigint',
  instant: 'timestamptz(3)',
};

const textOf = (value: (name: FieldName) => string): string =>
  `clientele.search_text(${searchedFields.map((name) => `${name} => ${value(name)}`).join(', ')})`;

/** What a row `c` is found by. */
export const searchText = textOf((name) => `c.${name}`);

/** What masked callers find it by. */
export const nameText = textOf((name) => (fieldOf(name).contact ? 'null' : `c.${name}`));
