/** Test customers, and a `fetch` that answers from a list of them like the real service. */
import fc from 'fast-check';
import {
  createCustomersService,
  type CustomersService,
  type CustomersServiceOptions,
  type WireCustomer,
  type WireCustomerDetail,
  type WireCustomerList,
} from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';

const instant = fc
  .date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

/** Any customer that the contract allows. */
export const wireCustomer: fc.Arbitrary<WireCustomer> = fc
  .record(
    {
      uuid: fc.uuid(),
      full_name: fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name.trim() !== ''),
      email_address: fc.emailAddress(),
      phone_number: orNull(fc.string()),
      company_name: orNull(fc.string({ unit: 'grapheme' })),
      is_verified: fc.boolean(),
      total_orders: fc.maxSafeNat(),
      lifetime_value_cents: fc.maxSafeInteger(),
      last_order_at: orNull(instant),
      created_at: instant,
    },
    { noNullPrototype: true },
  )
  .map((fields) => buildCustomer(fields));

/** A plain customer numbered `n`. */
export function customer(n: number, fields: Partial<WireCustomer> = {}): WireCustomer {
  const created_at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  return buildCustomer(
    { total_orders: n, lifetime_value_cents: n * 100, created_at, ...fields },
    n,
  );
}

export const fifty = Array.from({ length: 50 }, (_, n) => customer(n + 1));

export interface Directory {
  service: CustomersService;
  /** Can be replaced between requests. */
  customers: WireCustomer[];
  /** Path and query of each request, in order. */
  requests: string[];
  /** Each entry answers one of the next requests, instead of the customers. */
  answers: (Response | Error | Promise<Response>)[];
}

export function directory(
  customers: WireCustomer[],
  options: Partial<CustomersServiceOptions> = {},
): Directory {
  const it: Directory = { customers, requests: [], answers: [], service: undefined! };
  it.service = createCustomersService({
    baseUrl: 'https://customers.example',
    fetch: async (url, { signal }) => {
      it.requests.push(url.slice('https://customers.example'.length));
      const answer = it.answers.shift() ?? respond(it.customers, new URL(url));
      signal?.throwIfAborted();
      if (answer instanceof Error) throw answer;
      return await new Promise<Response>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        Promise.resolve(answer).then(resolve, reject);
      });
    },
    ...options,
  });
  return it;
}

export function problem(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Response {
  const body = {
    type: 'about:blank',
    title: code,
    status,
    detail: `It is ${code}.`,
    code,
    request_id: 'r-1',
  };
  return Response.json(body, {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

function respond(customers: WireCustomer[], url: URL): Response {
  const id = /^\/v3\/customers\/(.+)$/.exec(url.pathname)?.[1];
  if (id) {
    const data = customers.find((each) => each.uuid === id.toLowerCase());
    return data
      ? Response.json({ data } satisfies WireCustomerDetail)
      : problem(404, 'customer-not-found');
  }
  const page = Number(url.searchParams.get('page'));
  const perPage = Number(url.searchParams.get('perPage') ?? 25);
  const search = url.searchParams.get('search') ?? '';
  const isWanted = (name: string, value: boolean) =>
    (url.searchParams.get(name) ?? String(value)) === String(value);
  const matches = customers.filter(
    (each) =>
      each.full_name.includes(search) &&
      isWanted('verified', each.is_verified) &&
      isWanted('hasOrders', each.total_orders > 0),
  );
  return Response.json({
    data: matches.slice((page - 1) * perPage, page * perPage),
    pagination: { page, per_page: perPage, total: matches.length },
  } satisfies WireCustomerList);
}
