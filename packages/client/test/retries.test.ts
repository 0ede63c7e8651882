// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError, ContractError, customerQuery, customersQuery } from '@clientele/client';
import { customer, directory, problem } from './directory.ts';

const fifty = Array.from({ length: 50 }, (_, n) => customer(n + 1));

afterEach(() => {
  vi.useRealTimers();
});

const { retry, retryDelay } = customersQuery(directory([]).service);
const refusal = (status: number, retryAfter?: number) => new ApiError({ status, retryAfter });

test.each([400, 401, 403, 404, 405, 406, 408, 414, 429, 431])('none on %i', (status) => {
  expect(retry(0, refusal(status))).toBe(false);
  expect(retry(0, refusal(status, 1))).toBe(false);
});

test.each([500, 502, 503, 504])('three on %i', (status) => {
  expect([0, 1, 2, 3].map((count) => retry(count, refusal(status)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('three on a network failure', () => {
  expect([0, 1, 2, 3].map((count) => retry(count, new TypeError('fetch failed')))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('none on a body that broke the contract: it would break it again', () => {
  expect(retry(0, new ContractError('data', 'array', null))).toBe(false);
});

test('wait 1, 2, 4 seconds, and never less than Retry-After says', () => {
  expect([0, 1, 2].map((count) => retryDelay(count, refusal(500)))).toEqual([1000, 2000, 4000]);
  expect(retryDelay(0, refusal(503, 7))).toBe(7000);
  expect(retryDelay(2, refusal(503, 1))).toBe(4000);
});

test('are left to the user when Retry-After is longer than half a minute', () => {
  expect(retry(0, refusal(503, 30))).toBe(true);
  expect(retry(0, refusal(503, 31))).toBe(false);
});

test('none on a server, where a page is waiting to be rendered', () => {
  vi.stubGlobal('window', undefined);
  expect(retry(0, refusal(503))).toBe(false);
  vi.unstubAllGlobals();
});

test('in a query: a 503 with Retry-After is asked again after that time, not before', async () => {
  vi.useFakeTimers();
  const it = directory(fifty);
  it.answers = [problem(503, 'overloaded', { 'retry-after': '7' })];
  const answer = new QueryClient().fetchQuery(customersQuery(it.service));
  await vi.advanceTimersByTimeAsync(6900);
  expect(it.requests, 'after 6.9 s').toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(it.requests, 'after 7.1 s').toHaveLength(2);
  expect((await answer).data).toHaveLength(25);
});

test('in a query: a 404 is asked once', async () => {
  const { service, requests } = directory(fifty);
  await expect(
    new QueryClient().fetchQuery(customerQuery(service, 'nobody')),
  ).rejects.toMatchObject({
    code: 'customer-not-found',
  });
  expect(requests).toHaveLength(1);
});
