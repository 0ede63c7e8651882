import { describe, expect, test } from 'vitest';
import { ApiError, isApiError, isContractError } from '@clientele/client';
import { answering, rejection } from './answering.ts';

describe('a response outside 2xx is an ApiError', () => {
  const problem = {
    type: 'about:blank',
    title: 'Too many requests',
    status: 429,
    detail: 'Wait a little.',
    code: 'rate-limited',
    request_id: 'from-body',
  };
  const errorOf = async (response: Response) => {
    const error = await rejection(answering(() => response).service.list());
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  };

  test('with status, problem document, retryAfter and requestId', async () => {
    const error = await errorOf(
      Response.json(problem, {
        status: 429,
        headers: { 'retry-after': '7', 'x-request-id': 'from-header' },
      }),
    );
    expect(error).toMatchObject({
      name: 'ApiError',
      message: '429 Too many requests: Wait a little.',
      status: 429,
      code: 'rate-limited',
      problem,
      retryAfter: 7,
      requestId: 'from-header',
    });
  });

  test('with the request id of the problem document if the browser hides the header', async () => {
    expect((await errorOf(Response.json(problem, { status: 429 }))).requestId).toBe('from-body');
  });

  test.each([
    ['HTML', '<h1>Bad gateway</h1>'],
    ['empty', ''],
    ['other JSON', '{"message":"no"}'],
    ['JSON null', 'null'],
  ])('with its status and no problem document if the body is %s', async (_what, body) => {
    const error = await errorOf(new Response(body, { status: 502 }));
    expect(error).toMatchObject({ status: 502, message: 'HTTP status 502' });
    expect(error.problem).toBeUndefined();
    expect(error.code).toBeUndefined();
  });

  test('with retryAfter in seconds if the header is a date', async () => {
    const header = new Date(Date.now() + 90_000).toUTCString();
    const { retryAfter } = await errorOf(
      new Response('', { status: 503, headers: { 'retry-after': header } }),
    );
    expect(retryAfter).toBeGreaterThan(85);
    expect(retryAfter).toBeLessThanOrEqual(90);
  });

  test.each([
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('with Retry-After %s parsed as %s', async (header, seconds) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    const { retryAfter } = await errorOf(new Response('', { status: 503, headers }));
    expect(retryAfter).toBe(seconds);
  });

  test('without the search in its message', async () => {
    const { service } = answering(() => new Response('', { status: 500 }));
    expect(String(await rejection(service.list({ search: 'Anna' })))).not.toContain('Anna');
  });
});

describe('guards', () => {
  const notFound = new ApiError({
    status: 404,
    problem: {
      type: 'about:blank',
      title: 'Customer not found',
      status: 404,
      detail: 'No customer has this identifier.',
      code: 'customer-not-found',
      request_id: 'r-1',
    },
  });

  test('recognize an ApiError, optionally with a given code', () => {
    expect(isApiError(notFound)).toBe(true);
    expect(isApiError(notFound, 'customer-not-found')).toBe(true);
    expect(isApiError(notFound, 'rate-limited')).toBe(false);
    for (const other of [
      new Error('ApiError'),
      { name: 'ApiError' },
      null,
      undefined,
      'ApiError',
    ]) {
      expect(isApiError(other)).toBe(false);
      expect(isContractError(other)).toBe(false);
    }
  });

  test('recognize errors from another copy of the package, which instanceof does not', () => {
    class OtherCopy extends Error {
      override readonly name = 'ApiError';
      readonly code = 'rate-limited';
    }
    expect(isApiError(new OtherCopy(), 'rate-limited')).toBe(true);
  });
});
