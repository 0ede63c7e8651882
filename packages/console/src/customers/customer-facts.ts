import type { Customer } from '@clientele/client';
import { hrefOf } from '../address.ts';
import type { MessageName } from '../text/messages.ts';
import type { Text } from '../text/text.ts';
import { columns, isHidden, wordsOf } from './columns.tsx';
import { addressOfCustomer } from './open-search.ts';

interface Fact {
  label: MessageName;
  /** Null where there is nothing. */
  value: string | null;
  isHidden: boolean;
}

/** All that is known about a customer as text, the name first. */
export const factsOf = (customer: Customer, text: Text): Fact[] =>
  columns.map((column) => ({
    label: column.label,
    value: wordsOf(column, customer, text),
    isHidden: isHidden(column, customer),
  }));

export const linkTo = ({ id }: Customer): string => location.origin + hrefOf(addressOfCustomer(id));

/** For a ticket or a message: one fact per line, and a link. */
export const describeCustomer = (customer: Customer, text: Text): string =>
  [
    ...factsOf(customer, text).filter(({ value }) => value !== null),
    { label: 'customer.link' as const, value: linkTo(customer) },
  ]
    .map(({ label, value }) => `${text.t(label)}: ${value}`)
    .join('\n');
