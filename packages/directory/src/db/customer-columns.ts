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

/** What `row` is found by. Its name is empty or ends in a dot. */
export const searchText = (row: string): string => textOf((name) => `${row}${name}`);

/** What masked callers find it by. */
export const nameText = (row: string): string =>
  textOf((name) => (fieldOf(name).contact ? 'null' : `${row}${name}`));

const textOf = (value: (name: FieldName) => string): string =>
  `clientele.search_text(${searchedFields.map((name) => `${name} => ${value(name)}`).join(', ')})`;
