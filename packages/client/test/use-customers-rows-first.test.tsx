// @vitest-environment happy-dom
import { renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { useCustomersRowsFirst } from '@clientele/client/react';
import { end, inPieces, start } from './in-pieces.ts';
import { inside } from './rendered.tsx';

describe('useCustomersRowsFirst', () => {
  const render = (service: ReturnType<typeof inPieces>['service']) =>
    renderHook((params: { search: string }) => useCustomersRowsFirst(params), {
      wrapper: inside(service),
      initialProps: { search: 'anna' },
    });

  test('returns the rows without a total, then both', async () => {
    const { service, bodies, send, close } = inPieces();
    const { result } = render(service);
    expect(result.current).toMatchObject({ items: [], total: 0, isPending: true });
    await waitFor(() => expect(bodies).toHaveLength(1));
    send(start);
    await waitFor(() => expect(result.current.items).toHaveLength(2));
    expect(result.current).toMatchObject({ total: undefined, pageCount: undefined, page: 1 });
    expect(result.current).toMatchObject({ isPending: false, isFetching: true });
    send(end);
    close();
    await waitFor(() => expect(result.current.total).toBe(70));
    expect(result.current).toMatchObject({ pageCount: 3, isFetching: false });
    expect(result.current.items).toHaveLength(2);
  });

  test('returns no rows of another search', async () => {
    const { service, bodies, send } = inPieces();
    const { result, rerender } = render(service);
    await waitFor(() => expect(bodies).toHaveLength(1));
    send(start);
    await waitFor(() => expect(result.current.items).toHaveLength(2));
    rerender({ search: 'annab' });
    expect(result.current).toMatchObject({ items: [], total: 0, isPending: true });
  });
});
