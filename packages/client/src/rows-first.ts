/** Reads a list while it arrives. Apart from the service, so that an application which does not use it does not load it. */
import type { Fetch } from './http.ts';
import type { WireCustomerList } from './wire.ts';

/** A list whose total is not known yet. */
export type WireCustomerRows = Omit<WireCustomerList, 'pagination'>;

/**
 * Asks for the rows of a list before their total, for `through` of `service.list`. `onRows` is called at most once, and
 * only if there are rows and they arrive before the total, which the service may have to count first. They are not checked against the
 * contract yet.
 *
 * @example
 * const onRows = (rows: WireCustomerRows) => show(toCustomers(rows));
 * const { pagination } = await service.list({ search: 'anna', through: rowsFirst(onRows) });
 */
export function rowsFirst(onRows: (rows: WireCustomerRows) => void): (fetch: Fetch) => Fetch {
  return (fetch) => async (url, init) => {
    const sent = new Headers(init.headers);
    sent.set('prefer', 'rows-first');
    const response = await fetch(url, { ...init, headers: sent });
    const { body, ok, status, headers } = response;
    if (!ok || !body) return response;
    return new Response(body.pipeThrough(watching(onRows)), { status, headers });
  };
}

/** The service sends everything before the total at once, so what has arrived ends with the rows. */
function watching(
  onRows: (rows: WireCustomerRows) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text = '';
  let last = '';
  let isReported = false;
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      const piece = decoder.decode(bytes, { stream: true });
      last = piece.at(-1) ?? last;
      if (isReported) return;
      text += piece;
      const rows = last === ']' ? rowsIn(`${text}}`) : undefined;
      isReported = rows !== undefined;
      // A page without rows may be past the end or that of nobody: only the total tells.
      if (rows && rows.data.length > 0) onRows(rows);
    },
    flush() {
      // A proxy may end the body as if it were whole. This is what `fetch` throws for any other that is cut short.
      if (isReported && last !== '}') throw new TypeError('The response was cut short.');
    },
  });
}

function rowsIn(text: string): WireCustomerRows | undefined {
  try {
    const list = JSON.parse(text) as WireCustomerRows;
    return Array.isArray(list.data) ? list : undefined;
  } catch {
    return undefined;
  }
}
