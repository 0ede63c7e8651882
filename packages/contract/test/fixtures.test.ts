/** Checks the golden bodies against the contract. The server's tests compare its responses with them. */
import {
  problems,
  type Problem,
  type ProblemCode,
  type WireCustomer,
  type WireCustomerDetail,
  type WireCustomerList,
} from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';
import detailBody from '@clientele/contract/fixtures/detail.json' with { type: 'json' };
import emptyBody from '@clientele/contract/fixtures/list-empty.json' with { type: 'json' };
import listBody from '@clientele/contract/fixtures/list.json' with { type: 'json' };
import pastTheEndBody from '@clientele/contract/fixtures/list-past-the-end.json' with { type: 'json' };
import problemBodies from '@clientele/contract/fixtures/problems.json' with { type: 'json' };
import {
  CustomerDetailSchema,
  CustomerListSchema,
  ProblemSchema,
} from '@clientele/contract/schema';
import Value from 'typebox/value';
import { describe, expect, test } from 'vitest';

// The annotations make the compiler check the bodies against the wire types. Fields that were added later are blank.
const complete = (customer: Partial<WireCustomer>): WireCustomer => ({
  ...blankCustomer,
  ...customer,
});
const lists: Record<string, WireCustomerList> = {
  listBody: { ...listBody, data: listBody.data.map(complete) },
  emptyBody,
  pastTheEndBody,
};
const detail: WireCustomerDetail = { data: complete(detailBody.data) };

test.each(Object.keys(lists))('%s matches the list schema', (name) => {
  expect([...Value.Errors(CustomerListSchema, lists[name])]).toEqual([]);
});

test('the golden list covers nulls, a refund, a non-Latin script and equal creation times', () => {
  const { data } = listBody;
  for (const field of ['phone_number', 'company_name', 'last_order_at'] as const) {
    expect(new Set(data.map((customer) => customer[field] === null)).size, field).toBe(2);
  }
  expect(data.some((customer) => customer.lifetime_value_cents < 0)).toBe(true);
  expect(data.some((customer) => /\p{Script=Han}/u.test(customer.full_name))).toBe(true);
  expect(new Set(data.map((customer) => customer.created_at)).size).toBeLessThan(data.length);
});

test('the golden customer matches its schema', () => {
  expect([...Value.Errors(CustomerDetailSchema, detail)]).toEqual([]);
});

describe('golden problems', () => {
  test('there is one for every code', () => {
    expect(Object.keys(problemBodies)).toEqual(Object.keys(problems));
  });

  test.each(Object.keys(problems) as ProblemCode[])('%s', (code) => {
    const body = (problemBodies as Record<ProblemCode, object>)[code];
    expect([...Value.Errors(ProblemSchema, body)]).toEqual([]);
    const { status, title, type, errors } = body as Problem;
    expect(body).toMatchObject({ code });
    expect({ status, title }).toEqual(problems[code]);
    expect(type).toBe(`/docs#${code}`);
    for (const error of errors ?? []) expect(error.code).toBe(code);
  });
});
