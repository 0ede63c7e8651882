/** Wire data for the tests of applications: complete, valid, and the same in every run. */
import type {
  Problem,
  ProblemCode,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
} from './wire.ts';

/**
 * Builds a customer as the service sends it. Name only the fields that matter to the test. Customers with different
 * numbers differ in their identifier, name and e-mail address, and the first one is the newest.
 *
 * @example
 * const anna = buildCustomer({ full_name: 'Anna Example', total_orders: 3 });
 * const other = buildCustomer({}, 2);
 */
export function buildCustomer(fields: Partial<WireCustomer> = {}, number = 1): WireCustomer {
  return {
    uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    full_name: `Customer ${number}`,
    email_address: `customer-${number}@example.com`,
    phone_number: null,
    company_name: null,
    is_verified: false,
    total_orders: 0,
    lifetime_value_cents: 0,
    last_order_at: null,
    created_at: new Date(Date.UTC(2026, 0, 31, 9, 5) - number * 60_000).toISOString(),
    ...fields,
  };
}

/**
 * Builds the response to a list: of so many customers, or of customers with these fields. The total is their number
 * unless `pagination` has another one.
 *
 * @example
 * Response.json(buildCustomerList([{ full_name: 'Anna Example' }, {}]));
 * Response.json(buildCustomerList(25, { page: 2, total: 60 }));
 */
export function buildCustomerList(
  customers: number | readonly Partial<WireCustomer>[] = 1,
  pagination: Partial<WirePagination> = {},
): WireCustomerList {
  const { page = 1, per_page = 25 } = pagination;
  const given =
    typeof customers === 'number' ? Array.from({ length: customers }, () => ({})) : customers;
  const before = (page - 1) * per_page;
  return {
    data: given.map((fields, index) => buildCustomer(fields, before + index + 1)),
    pagination: { page, per_page, total: before + given.length, ...pagination },
  };
}

/**
 * Builds the response to a request for one customer.
 *
 * @example
 * Response.json(buildCustomerDetail({ full_name: 'Anna Example' }));
 */
export function buildCustomerDetail(fields: Partial<WireCustomer> = {}): WireCustomerDetail {
  return { data: buildCustomer(fields) };
}

/**
 * Builds the body of a response with an error. Send it with the same status.
 *
 * @example
 * Response.json(buildProblem(429, 'rate-limited'), { status: 429, headers: { 'retry-after': '7' } });
 */
export function buildProblem(
  status: number,
  code: ProblemCode,
  fields: Partial<Problem> = {},
): Problem {
  return {
    type: `/docs#${code}`,
    title: code,
    status,
    detail: `Built for a test: ${code}`,
    code,
    request_id: '00000000-0000-4000-8000-000000000000',
    ...fields,
  };
}
