// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import {
  ApiError,
  ContractError,
  customerKeys,
  customerQuery,
  customersQuery,
  retryDefaults,
} from '@clientele/client';
import { directory, fifty, problem } from './directory.ts';

afterEach(() => {
  vi.useRealTimers();
});

const { retry, retryDelay } = retryDefaults;
const refusal = (status: number, retryAfter?: number) => new ApiError({ status, retryAfter });

test.each([400, 401, 403, 404, 405, 406, 408, 414, 429, 431])('a %i is not retried', (status) => {
  expect(retry(0, refusal(status))).toBe(false);
  expect(retry(0, refusal(status, 1))).toBe(false);
});

test.each([500, 502, 503, 504])('a %i is retried three times', (status) => {
  expect([0, 1, 2, 3].map((count) => retry(count, refusal(status)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('a network failure is retried three times', () => {
  expect([0, 1, 2, 3].map((count) => retry(count, new TypeError('fetch failed')))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('a timeout set by a custom fetch is retried', () => {
  expect(retry(0, new DOMException('The operation timed out.', 'TimeoutError'))).toBe(true);
});

test('an error of the application, such as one thrown by `headers`, is not retried', () => {
  expect(retry(0, new Error('signed out'))).toBe(false);
});

test('a body that breaks the contract is not retried', () => {
  expect(retry(0, new ContractError('data', 'array', null))).toBe(false);
});

test('the delays are 1, 2 and 4 seconds, and never shorter than Retry-After', () => {
  expect([0, 1, 2].map((count) => retryDelay(count, refusal(500)))).toEqual([1000, 2000, 4000]);
  expect(retryDelay(0, refusal(503, 7))).toBe(7000);
  expect(retryDelay(2, refusal(503, 1))).toBe(4000);
});

test('nothing is retried if Retry-After is longer than 30 seconds', () => {
  expect(retry(0, refusal(503, 30))).toBe(true);
  expect(retry(0, refusal(503, 31))).toBe(false);
});

test('nothing is retried during server rendering', () => {
  vi.stubGlobal('window', undefined);
  expect(retry(0, refusal(503))).toBe(false);
  vi.unstubAllGlobals();
});

function retrying(): QueryClient {
  const client = new QueryClient();
  client.setQueryDefaults(customerKeys.all, retryDefaults);
  return client;
}

test('in a query, a 503 with Retry-After is retried after that time and not earlier', async () => {
  vi.useFakeTimers();
  const it = directory(fifty);
  it.answers = [problem(503, 'overloaded', { 'retry-after': '7' })];
  const answer = retrying().fetchQuery(customersQuery(it.service));
  await vi.advanceTimersByTimeAsync(6900);
  expect(it.requests, 'after 6.9 s').toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(it.requests, 'after 7.1 s').toHaveLength(2);
  expect((await answer).data).toHaveLength(25);
});

test('in a query, a 404 is requested once', async () => {
  const { service, requests } = directory(fifty);
  await expect(retrying().fetchQuery(customerQuery(service, 'nobody'))).rejects.toMatchObject({
    code: 'customer-not-found',
  });
  expect(requests).toHaveLength(1);
});

test('in a query, the page of a captive portal is requested once', async () => {
  const it = directory(fifty);
  it.answers = [new Response('<h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } })];
  await expect(retrying().fetchQuery(customersQuery(it.service))).rejects.toMatchObject({
    name: 'ContractError',
  });
  expect(it.requests).toHaveLength(1);
});
