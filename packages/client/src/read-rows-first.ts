/** Reads a list while it arrives: its rows may come before its total. */
import type { WireCustomerList } from './wire.ts';

/** A list whose total is not known yet. */
export type WireCustomerRows = Omit<WireCustomerList, 'pagination'>;

/** Called at most once, and only if the rest of the response takes longer. */
export type OnRows = (list: WireCustomerRows) => void;

/** Asks the service for the rows before their total. */
export function rowsFirst(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('prefer', 'rows-first');
  return { ...init, headers };
}

/** The response with a body that reports the rows when they are there. */
export function reportingRows(response: Response, onRows: OnRows): Response {
  const { body, status, statusText, headers } = response;
  if (!response.ok || !body) return response;
  return new Response(body.pipeThrough(watching(onRows)), { status, statusText, headers });
}

/** The service sends everything before the total at once, so what has arrived ends with the rows. */
function watching(onRows: OnRows): TransformStream<Uint8Array, Uint8Array> {
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
      if (rows) onRows(rows);
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
