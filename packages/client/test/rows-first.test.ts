import { describe, expect, test, vi } from 'vitest';
import { retryDefaults, rowsFirst, toCustomers, type WireCustomerRows } from '@clientele/client';
import { data, end, inPieces, start } from './in-pieces.ts';

const eventually = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 300_000 });

describe('service.list through rowsFirst', () => {
  test('reports the rows before the total, and returns the whole body', async () => {
    const { service, bodies, send, close } = inPieces();
    const onRows = vi.fn<(list: WireCustomerRows) => void>();
    const list = service.list({ through: rowsFirst(onRows) });
    await eventually(() => expect(bodies).toHaveLength(1));
    send(start);
    await eventually(() => expect(onRows).toHaveBeenCalledExactlyOnceWith({ data }));
    send(end);
    close();
    expect(await list).toEqual(JSON.parse(start + end));
  });

  test('finds the rows wherever the bytes are cut', async () => {
    const bytes = new TextEncoder().encode(start);
    for (let at = 1; at < bytes.length; at += 7) {
      const { service, bodies, close, send } = inPieces();
      const onRows = vi.fn<(list: WireCustomerRows) => void>();
      const list = service.list({ through: rowsFirst(onRows) });
      await eventually(() => expect(bodies).toHaveLength(1));
      bodies[0]!.enqueue(bytes.slice(0, at));
      bodies[0]!.enqueue(bytes.slice(at));
      await eventually(() => expect(onRows).toHaveBeenCalledExactlyOnceWith({ data }));
      send(end);
      close();
      await list;
    }
  });

  test('rows say what is hidden from the caller, wherever the bytes are cut', async () => {
    const masked = `{"hidden":["email_address"],${start.slice(1)}`;
    for (let at = 1; at < 60; at++) {
      const { service, bodies, close, send } = inPieces();
      const onRows = vi.fn<(list: WireCustomerRows) => void>();
      const list = service.list({ through: rowsFirst(onRows) });
      await eventually(() => expect(bodies).toHaveLength(1));
      send(masked.slice(0, at));
      send(masked.slice(at));
      await eventually(() => expect(onRows).toHaveBeenCalledOnce());
      expect(toCustomers(onRows.mock.calls[0]![0])[0]).toMatchObject({ hidden: ['email'] });
      send(end);
      close();
      await list;
    }
  });

  test('reports no rows that are none: only the total says whether somebody matches', async () => {
    const { service, bodies, send, close } = inPieces();
    const onRows = vi.fn<(list: WireCustomerRows) => void>();
    const list = service.list({ page: 3, through: rowsFirst(onRows) });
    await eventually(() => expect(bodies).toHaveLength(1));
    send('{"data":[]');
    send(end);
    close();
    expect((await list).pagination.total).toBe(70);
    expect(onRows).not.toHaveBeenCalled();
  });

  test('reports nothing when everything arrives together', async () => {
    const { service, bodies, send, close } = inPieces();
    const onRows = vi.fn<(list: WireCustomerRows) => void>();
    const list = service.list({ through: rowsFirst(onRows) });
    await eventually(() => expect(bodies).toHaveLength(1));
    send(start + end);
    close();
    expect((await list).pagination.total).toBe(70);
    expect(onRows).not.toHaveBeenCalled();
  });

  test('a body that is cut short is an error that is retried', async () => {
    const { service, bodies, send, close } = inPieces();
    const list = service.list({ through: rowsFirst(() => undefined) });
    await eventually(() => expect(bodies).toHaveLength(1));
    send(start);
    close();
    const error = await list.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeInstanceOf(TypeError);
    vi.stubGlobal('window', {});
    expect(retryDefaults.retry(0, error!), 'in a browser').toBe(true);
    vi.unstubAllGlobals();
  });
});
