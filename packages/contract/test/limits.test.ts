/** Checks that the limits, the error codes and the OpenAPI document agree with each other. */
import { limits, parameterProblemCodes, problems } from '@clientele/contract';
import {
  blankCustomer,
  fieldOf,
  wireFields,
  type FieldName,
  type Kind,
} from '@clientele/contract/customer-fields';
import { openapiDocument } from '@clientele/contract/openapi';
import { CustomerSchema, PaginationSchema } from '@clientele/contract/schema';
import Value from 'typebox/value';
import { describe, expect, test } from 'vitest';
import list from '../fixtures/list.json' with { type: 'json' };

const { get } = openapiDocument('1.2.3').paths['/v3/customers'];

describe.each(['page', 'perPage'] as const)('%s', (name) => {
  const { min, max, default: fallback } = limits[name];

  test('has a default within its bounds', () => {
    expect(fallback).toBeGreaterThanOrEqual(min);
    expect(fallback).toBeLessThanOrEqual(max);
  });

  test('has its bounds and default in the OpenAPI document', () => {
    const parameter = get.parameters.find((candidate) => candidate.name === name);
    expect(parameter?.schema).toMatchObject({ minimum: min, maximum: max, default: fallback });
  });

  test('has the same bounds in the pagination of a response', () => {
    const field = name === 'page' ? 'page' : 'per_page';
    const valid = { page: 1, per_page: 1, total: 0 };
    const isValid = (value: number) => Value.Check(PaginationSchema, { ...valid, [field]: value });
    expect([min - 1, min, max, max + 1].map(isValid)).toEqual([false, true, true, false]);
  });
});

test('the offset of the last possible page is a safe integer', () => {
  expect(Number.isSafeInteger(limits.page.max * limits.perPage.max)).toBe(true);
});

test('the OpenAPI document states the search limits', () => {
  const parameter = get.parameters.find(({ name }) => name === 'search');
  expect(parameter?.schema).toMatchObject({ maxLength: limits.search.maxCodePoints });
  expect(parameter?.description).toContain(`${limits.search.maxTerms} terms`);
});

const ofKind = (kind: Kind) => wireFields.filter((name) => fieldOf(name).kind === kind);
const accepts = (name: FieldName, value: unknown): boolean =>
  Value.Check(CustomerSchema, { ...blankCustomer, ...list.data[0], [name]: value });

test.each(ofKind('integer'))('%s accepts exactly the safe integers within its limits', (name) => {
  const { min, max } = fieldOf(name) as { min: number; max: number };
  expect([min, max].map(Number.isSafeInteger)).toEqual([true, true]);
  const values = [min - 1, min, 0.5, max, max + 1];
  expect(values.map((value) => accepts(name, value))).toEqual([false, true, false, true, false]);
});

test.each(ofKind('text'))('%s is limited to its maximum length', (name) => {
  const { max } = fieldOf(name) as { max: number };
  expect(accepts(name, 'x'.repeat(max))).toBe(true);
  expect(accepts(name, 'x'.repeat(max + 1))).toBe(false);
});

test('the last field is never empty, as CSV for spreadsheets requires', () => {
  const last = fieldOf(wireFields.at(-1)!);
  expect(last.kind).not.toBe('text');
  expect(last.nullable).toBeUndefined();
});

test('every problem has an error status, and every parameter problem is a 400', () => {
  for (const { status } of Object.values(problems)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  }
  for (const code of parameterProblemCodes) expect(problems[code].status).toBe(400);
});

test('the OpenAPI document has the given version and a response for every status', () => {
  const { info, paths } = openapiDocument('1.2.3');
  expect(info.version).toBe('1.2.3');
  const documented = Object.values(paths).flatMap((path) => Object.keys(path.get.responses));
  const statuses = Object.values(problems).map(({ status }) => String(status));
  // A 405 answers methods that have no operation, so no operation documents it.
  expect(new Set([...documented, '405'])).toEqual(new Set([...statuses, '200']));
});
