import { ContractError } from './errors.ts';
import type { Customer, CustomerPage, HiddenField, Timeline } from './model.ts';
import type { WireCustomerRows } from './rows-first.ts';
import type {
  ContactField,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WireTimeline,
} from './wire.ts';

/**
 * Converts one customer from the wire format. Does not change the wire object. Which fields are hidden is said
 * by the response, not by the customer: see {@link toCustomerPage} and {@link toCustomerOf}.
 *
 * @throws {ContractError} if a timestamp is not ISO 8601 or has no offset, naming the field.
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
 * @throws {ContractError} if a timestamp is not ISO 8601 or has no offset, naming the field.
 * @example
 * const { items, page, total } = toCustomerPage(await service.list({ search: 'anna' }));
 */
export function toCustomerPage(envelope: WireCustomerList): CustomerPage {
  const { page, total } = envelope.pagination;
  return { items: toCustomers(envelope), page, total };
}

/**
 * Converts the rows of a list, whose total may not be known yet.
 *
 * @throws {ContractError} if a timestamp is not ISO 8601 or has no offset, naming the field.
 * @example
 * await service.list({ search: 'anna', through: rowsFirst((rows) => show(toCustomers(rows))) });
 */
export function toCustomers({ data, hidden }: WireCustomerRows): Customer[] {
  return data.map((wire) => withHidden(toCustomer(wire), hidden));
}

/**
 * Converts the response for one customer from the wire format.
 *
 * @throws {ContractError} if a timestamp is not ISO 8601 or has no offset, naming the field.
 * @example
 * const { name, email, hidden } = toCustomerOf(await service.get(id));
 */
export function toCustomerOf(envelope: WireCustomerDetail): Customer {
  return withHidden(toCustomer(envelope.data), envelope.hidden);
}

/**
 * Converts a timeline from the wire format.
 *
 * @throws {ContractError} if a timestamp is not ISO 8601 or has no offset, naming the field.
 * @example
 * const { unit, buckets } = toTimeline(await service.timeline({ search: 'anna' }));
 */
export function toTimeline({ data }: WireTimeline): Timeline {
  const { total, exact, unit } = data;
  const buckets = data.buckets.map(({ from, count, above }) => ({
    from: toDate('from', from),
    count,
    above,
  }));
  return { total, exact, unit, buckets };
}

function withHidden(customer: Customer, fields: readonly ContactField[] | undefined): Customer {
  // The model's names are the first words of the wire's.
  const toHidden = (field: ContactField) => field.split('_')[0] as HiddenField;
  return fields ? { ...customer, hidden: fields.map(toHidden) } : customer;
}

/** Captures the time to the minute, the day, seconds, their fraction, and the offset's two parts. */
const isoTimestamp =
  /^((?:\d{4}|[+-]\d{6})-\d\d-(\d\d)T\d\d:\d\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/;

/**
 * Reads an ISO 8601 timestamp with any form of offset. Stricter than `Date`, which reads `'1'` as a
 * year and may roll 30 February over to March.
 */
function toDate(field: string, value: unknown): Date {
  const match = typeof value === 'string' && isoTimestamp.exec(value);
  if (match) {
    const [, minute, day, second = '00', fraction = 0, hours = '+00', minutes = '00'] = match;
    // Not every engine parses the offsets `+01` and `+0100`.
    const date = new Date(`${minute}:${second}.${fraction}${hours}:${minutes}`);
    const midnight = new Date(minute!.slice(0, -6));
    if (midnight.getUTCDate() === Number(day) && !Number.isNaN(date.getTime())) return date;
  }
  throw new ContractError(field, 'an ISO 8601 timestamp', value);
}
