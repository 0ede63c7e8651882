import { ContractError } from './errors.ts';
import type { Customer, CustomerPage } from './model.ts';
import type { WireCustomer, WireCustomerList } from './wire.ts';

/**
 * Converts one customer from the wire format. Does not change the wire object.
 *
 * @throws {ContractError} if a timestamp is invalid, naming the field.
 * @example
 * const { data } = await service.get(id);
 * const customer = toCustomer(data);
 */
export function toCustomer(wire: WireCustomer): Customer {
  return {
    id: wire.uuid,
    name: wire.full_name,
    email: wire.email_address,
    phone: wire.phone_number,
    company: wire.company_name,
    isVerified: wire.is_verified,
    totalOrders: wire.total_orders,
    lifetimeValue: wire.lifetime_value_cents / 100,
    lastOrderAt: wire.last_order_at === null ? null : toDate('last_order_at', wire.last_order_at),
    createdAt: toDate('created_at', wire.created_at),
  };
}

/**
 * Converts a list envelope from the wire format. The result does not include the page size.
 *
 * @throws {ContractError} if a timestamp is invalid, naming the field.
 * @example
 * const { items, page, total } = toCustomerPage(await service.list({ search: 'anna' }));
 */
export function toCustomerPage(envelope: WireCustomerList): CustomerPage {
  return {
    items: envelope.data.map(toCustomer),
    page: envelope.pagination.page,
    total: envelope.pagination.total,
  };
}

const isoTimestamp =
  /^(?:\d{4}|[+-]\d{6})-\d\d-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Stricter than `Date`, which reads `'1'` as a year and may roll 30 February over to March. */
function toDate(field: string, value: unknown): Date {
  const match = typeof value === 'string' ? isoTimestamp.exec(value) : null;
  if (match) {
    const date = new Date(match[0]);
    const midnight = new Date(match[0].slice(0, match[0].indexOf('T')));
    if (!Number.isNaN(date.getTime()) && midnight.getUTCDate() === Number(match[1])) return date;
  }
  throw new ContractError(field, 'an ISO 8601 timestamp', value);
}
