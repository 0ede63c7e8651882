/** Limits, codes and the document made from them agree with each other. */
import { limits, parameterProblemCodes, problems } from '@clientele/contract';
import { openapiDocument } from '@clientele/contract/openapi';
import { CustomerSchema, PaginationSchema } from '@clientele/contract/schema';
import Value from 'typebox/value';
import { describe, expect, test } from 'vitest';
import list from '../fixtures/list.json' with { type: 'json' };

const { get } = openapiDocument('1.2.3').paths['/v3/customers'];

describe.each(['page', 'perPage'] as const)('%s', (name) => {
  const { min, max, default: fallback } = limits[name];

  test('the default is within the bounds', () => {
    expect(fallback).toBeGreaterThanOrEqual(min);
    expect(fallback).toBeLessThanOrEqual(max);
  });

  test('the document tells the bounds', () => {
    const parameter = get.parameters.find((candidate) => candidate.name === name);
    expect(parameter?.schema).toMatchObject({ minimum: min, maximum: max, default: fallback });
  });

  test('the pagination of an answer has the same bounds', () => {
    const field = name === 'page' ? 'page' : 'per_page';
    const right = { page: 1, per_page: 1, total: 0 };
    const fits = (value: number) => Value.Check(PaginationSchema, { ...right, [field]: value });
    expect([min - 1, min, max, max + 1].map(fits)).toEqual([false, true, true, false]);
  });
});

test('the last page of the largest size starts at a number that JavaScript holds exactly', () => {
  expect(Number.isSafeInteger(limits.page.max * limits.perPage.max)).toBe(true);
});

test('the document tells the length of a search', () => {
  const parameter = get.parameters.find(({ name }) => name === 'search');
  expect(parameter?.schema).toMatchObject({ maxLength: limits.search.maxCodePoints });
  expect(parameter?.description).toContain(`${limits.search.maxTerms} terms`);
});

test.each([
  ['total_orders', limits.customer.totalOrders],
  ['lifetime_value_cents', limits.customer.lifetimeValueCents],
] as const)('%s is a whole number that JavaScript holds exactly', (field, { min, max }) => {
  expect([min, max].map(Number.isSafeInteger)).toEqual([true, true]);
  const fits = (value: number) => Value.Check(CustomerSchema, { ...list.data[0], [field]: value });
  expect([min - 1, min, 0.5, max, max + 1].map(fits)).toEqual([false, true, false, true, false]);
});

test.each([
  ['full_name', limits.customer.fullName],
  ['email_address', limits.customer.emailAddress],
  ['phone_number', limits.customer.phoneNumber],
  ['company_name', limits.customer.companyName],
] as const)('%s has the length that the limits say', (field, { maxLength }) => {
  const fits = (length: number) =>
    Value.Check(CustomerSchema, { ...list.data[0], [field]: 'x'.repeat(length) });
  expect([maxLength, maxLength + 1].map(fits)).toEqual([true, false]);
});

test('every problem is an error, and what a parameter is at fault with is the caller’s', () => {
  for (const { status } of Object.values(problems)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  }
  for (const code of parameterProblemCodes) expect(problems[code].status).toBe(400);
});

test('the document carries the version it is given and an answer for every status', () => {
  const { info, paths } = openapiDocument('1.2.3');
  expect(info.version).toBe('1.2.3');
  const told = Object.values(paths).flatMap((path) => Object.keys(path.get.responses));
  const statuses = Object.values(problems).map(({ status }) => String(status));
  // 405 is of no documented operation, by its nature.
  expect(new Set([...told, '405'])).toEqual(new Set([...statuses, '200']));
});
