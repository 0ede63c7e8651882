import { expect, test } from 'vitest';
import { isApiError, toCustomerPage } from '@clientele/client';
import {
  buildCustomer,
  buildCustomerDetail,
  buildCustomerList,
  buildProblem,
} from '@clientele/client/testing';
import { answering, rejection } from './answering.ts';

/** Bodies are checked against the contract, because tests resolve the condition `development`. */
const reading = (body: unknown, init?: ResponseInit) =>
  answering(() => Response.json(body, init)).service;

test('a built customer has every field, and those that were given', async () => {
  const { data } = await reading(buildCustomerDetail({ full_name: 'Anna Example' })).get('1');
  expect(data).toMatchObject({ full_name: 'Anna Example', total_orders: 0, phone_number: null });
  expect(buildCustomer(), 'the same each time').toEqual(buildCustomer());
});

test('a built list has different customers, the newest first', async () => {
  const { items, total } = toCustomerPage(await reading(buildCustomerList(3)).list());
  expect(total).toBe(3);
  expect(new Set(items.map(({ id }) => id)).size).toBe(3);
  expect(new Set(items.map(({ email }) => email)).size).toBe(3);
  expect(items.map(({ createdAt }) => createdAt)).toEqual(
    items.map(({ createdAt }) => createdAt).toSorted((a, b) => Number(b) - Number(a)),
  );
});

test('a built list has the given fields and pagination', async () => {
  const body = buildCustomerList([{ full_name: 'Anna Example' }, {}], { page: 2, total: 60 });
  const { data, pagination } = await reading(body).list({ page: 2 });
  expect(data.map(({ full_name }) => full_name)).toEqual(['Anna Example', 'Customer 27']);
  expect(pagination).toEqual({ page: 2, per_page: 25, total: 60 });
  expect(buildCustomerList(0)).toEqual({
    data: [],
    pagination: { page: 1, per_page: 25, total: 0 },
  });
});

test('a built problem is one that the client recognizes', async () => {
  const service = reading(buildProblem(429, 'rate-limited'), { status: 429 });
  const error = await rejection(service.list());
  expect(isApiError(error, 'rate-limited')).toBe(true);
});
