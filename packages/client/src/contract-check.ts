/**
 * Checks response bodies against the contract. The package's `#contract-check` import selects this
 * module in development builds only. Unknown fields are allowed, so that the contract can grow.
 */
import { ContractError } from './errors.ts';
import type {
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
  WireSuggestion,
  WireSuggestions,
  WireTimeline,
  WireTimelineBucket,
} from './wire.ts';

type Rule = [expected: string, holds: (value: unknown) => boolean];

const string: Rule = ['string', (value) => typeof value === 'string'];
const boolean: Rule = ['boolean', (value) => typeof value === 'boolean'];
const integer: Rule = ['integer', Number.isSafeInteger];
const array: Rule = ['array', Array.isArray];
const object: Rule = ['object', (value) => typeof value === 'object' && value !== null];
const optional = ([expected, holds]: Rule): Rule => [
  `${expected}, or nothing`,
  (value) => value === undefined || holds(value),
];
const orNull = ([expected, holds]: Rule): Rule => [
  `${expected} or null`,
  (value) => value === null || holds(value),
];

const customer: Record<keyof WireCustomer, Rule> = {
  uuid: string,
  full_name: string,
  email_address: string,
  phone_number: orNull(string),
  company_name: orNull(string),
  is_verified: boolean,
  total_orders: integer,
  lifetime_value_cents: integer,
  last_order_at: orNull(string),
  created_at: string,
};
const pagination: Record<keyof WirePagination, Rule> = {
  page: integer,
  per_page: integer,
  total: integer,
};
const list: Record<keyof WireCustomerList, Rule> = {
  data: array,
  pagination: object,
  hidden: optional(array),
};
const detail: Record<keyof WireCustomerDetail, Rule> = {
  data: object,
  hidden: optional(array),
};
const timeline: Record<keyof WireTimeline['data'], Rule> = {
  total: integer,
  exact: boolean,
  unit: string,
  buckets: array,
};
const bucket: Record<keyof WireTimelineBucket, Rule> = {
  from: string,
  count: integer,
  above: integer,
};

const suggestions: Record<keyof WireSuggestions, Rule> = { data: array };
const suggestion: Record<keyof WireSuggestion, Rule> = { search: string, total: integer };

/** @throws {ContractError} when the body is not a customer list. */
export function checkCustomerList(body: unknown): asserts body is WireCustomerList {
  check('', list, body);
  check('pagination', pagination, body.pagination);
  for (const [index, row] of (body.data as unknown[]).entries()) {
    check(`data[${index}]`, customer, row);
  }
}

/** @throws {ContractError} when the body is not one customer. */
export function checkCustomerDetail(body: unknown): asserts body is WireCustomerDetail {
  check('', detail, body);
  check('data', customer, body.data);
}

/** @throws {ContractError} when the body is not a list of suggestions. */
export function checkSuggestions(body: unknown): asserts body is WireSuggestions {
  check('', suggestions, body);
  for (const [index, each] of (body.data as unknown[]).entries()) {
    check(`data[${index}]`, suggestion, each);
  }
}

/** @throws {ContractError} when the body is not a timeline. */
export function checkTimeline(body: unknown): asserts body is WireTimeline {
  check('', { data: object }, body);
  check('data', timeline, body.data);
  for (const [index, each] of (body.data.buckets as unknown[]).entries()) {
    check(`data.buckets[${index}]`, bucket, each);
  }
}

function check<K extends string>(
  path: string,
  rules: Record<K, Rule>,
  value: unknown,
): asserts value is Record<K, unknown> {
  verify(path || 'body', object, value);
  for (const field of Object.keys(rules) as K[]) {
    const place = path ? `${path}.${field}` : field;
    verify(place, rules[field], (value as Partial<Record<K, unknown>>)[field]);
  }
}

function verify(path: string, [expected, holds]: Rule, value: unknown): void {
  if (!holds(value)) throw new ContractError(path, expected, value);
}
