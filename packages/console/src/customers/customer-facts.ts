import type { Customer, HiddenField } from '@clientele/client';
import { hrefOf } from '../address.ts';
import type { MessageName } from '../text/messages.ts';
import type { Text } from '../text/text.ts';
import { addressOfCustomer } from './open-search.ts';

type Fact = [label: MessageName, value: string | null, isHidden?: boolean];

/** All that is known about a customer as text; null where there is nothing. */
export function factsOf(customer: Customer, text: Text): Fact[] {
  const { lifetimeValue, totalOrders, lastOrderAt } = customer;
  const contact = (field: HiddenField): Fact =>
    customer.hidden?.includes(field)
      ? [`column.${field}`, text.t('value.hidden'), true]
      : [`column.${field}`, customer[field]];
  return [
    ['column.company', customer.company],
    contact('email'),
    contact('phone'),
    ['customer.id', customer.id],
    ['column.verified', text.t(customer.isVerified ? 'value.yes' : 'value.no')],
    ['column.orders', text.number(totalOrders)],
    ['column.value', text.money(lifetimeValue)],
    ['customer.average', totalOrders > 0 ? text.money(lifetimeValue / totalOrders) : null],
    ['column.lastOrder', lastOrderAt && text.date(lastOrderAt)],
    ['column.since', text.date(customer.createdAt)],
  ];
}

export const linkTo = ({ id }: Customer): string => location.origin + hrefOf(addressOfCustomer(id));

/** For a ticket or a message: one fact per line, and a link. */
export function describeCustomer(customer: Customer, text: Text): string {
  const facts: Fact[] = [
    ['column.name', customer.name],
    ...factsOf(customer, text),
    ['customer.link', linkTo(customer)],
  ];
  return facts
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `${text.t(label)}: ${value}`)
    .join('\n');
}
