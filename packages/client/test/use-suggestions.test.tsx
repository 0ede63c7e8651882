// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ContractError, customerKeys, suggestionsQuery } from '@clientele/client';
import { useSuggestions } from '@clientele/client/react';
import { answering } from './answering.ts';
import { directory, fifty, problem } from './directory.ts';
import { inside } from './rendered.tsx';

const suggestions = [
  { search: 'schmidt', total: 12 },
  { search: 'schmitt', total: 7 },
];
const answer = () => Response.json({ data: suggestions });

describe('service.suggestions', () => {
  test('sends the search, and returns the unmodified body', async () => {
    const { service, url } = answering(answer);
    expect(await service.suggestions('anna & shmidt')).toEqual({ data: suggestions });
    expect(url().pathname).toBe('/v3/customers/suggestions');
    expect(url().searchParams.get('search')).toBe('anna & shmidt');
  });

  test.each([
    [{}, 'data: expected array, got undefined'],
    [{ data: [{ search: 'a' }] }, 'data[0].total: expected integer, got undefined'],
    [{ data: [{ search: 1, total: 1 }] }, 'data[0].search: expected string, got number'],
  ])('reports a body that breaks the contract: %j', async (body, message) => {
    const { service } = answering(() => Response.json(body));
    await expect(service.suggestions('x')).rejects.toThrow(ContractError);
    await expect(service.suggestions('x')).rejects.toThrow(message);
  });

  test('can be aborted', async () => {
    const it = directory(fifty);
    it.answers = [new Promise<Response>(() => undefined)];
    const abort = new AbortController();
    const pending = it.service.suggestions('shmidt', { signal: abort.signal });
    abort.abort();
    await expect(pending).rejects.toThrow('abort');
  });
});

test('the key has the trimmed search, below the key of all customers', async () => {
  const { service } = answering(answer);
  const client = new QueryClient();
  await client.fetchQuery(suggestionsQuery(service, ' shmidt '));
  expect(customerKeys.suggestions('shmidt')).toEqual(['customers', 'suggestions', 'shmidt']);
  expect(client.getQueryData(customerKeys.suggestions('shmidt'))).toEqual({ data: suggestions });
  client.removeQueries({ queryKey: customerKeys.all });
  expect(client.getQueryData(customerKeys.suggestions('shmidt'))).toBeUndefined();
});

describe('useSuggestions', () => {
  test('returns the suggestions, and none of another search meanwhile', async () => {
    const it = directory(fifty);
    it.answers = [answer(), Response.json({ data: [] })];
    const { result, rerender } = renderHook((search: string) => useSuggestions(search), {
      wrapper: inside(it.service),
      initialProps: 'shmidt',
    });
    expect(result.current).toMatchObject({
      suggestions: [],
      isPending: true,
      isSuccess: false,
      isFetching: true,
      error: null,
    });
    await waitFor(() => expect(result.current.suggestions).toEqual(suggestions));
    rerender('xyz');
    expect(result.current.suggestions).toEqual([]);
    await waitFor(() => expect(result.current.isPending).toBe(false));
    expect(it.requests).toEqual([
      '/v3/customers/suggestions?search=shmidt',
      '/v3/customers/suggestions?search=xyz',
    ]);
  });

  test('sends no request while it is not enabled, or for a blank search', async () => {
    const it = directory(fifty);
    it.answers = [answer()];
    const { result, rerender } = renderHook(
      ({ search, enabled }: { search: string; enabled?: boolean }) =>
        useSuggestions(search, { enabled }),
      { wrapper: inside(it.service), initialProps: { search: 'shmidt', enabled: false } },
    );
    rerender({ search: '  ', enabled: true });
    expect(it.requests).toEqual([]);
    rerender({ search: 'shmidt', enabled: true });
    await waitFor(() => expect(result.current.suggestions).toHaveLength(2));
  });

  test('reports errors', async () => {
    const it = directory(fifty);
    it.answers = [problem(403, 'insufficient-scope')];
    const { result } = renderHook(() => useSuggestions('shmidt'), { wrapper: inside(it.service) });
    await waitFor(() => expect(result.current.error).not.toBeNull());
    expect(result.current.suggestions).toEqual([]);
  });
});
