/** Requests a list whose rows may come before its total. */
import { get, type Agent } from 'node:http';

export interface RowsFirstRequest {
  /** The status, when the rows are there. Rejects if the connection is lost before. */
  rows: Promise<number>;
  /** The whole body. */
  whole: Promise<string>;
  abandon(): void;
}

export function requestRowsFirst(
  url: URL,
  headers: Record<string, string>,
  agent: Agent,
): RowsFirstRequest {
  const rows = Promise.withResolvers<number>();
  const whole = Promise.withResolvers<string>();
  const fail = (error: Error): void => {
    rows.reject(error);
    whole.reject(error);
  };
  const request = get(url, { agent, headers: { ...headers, prefer: 'rows-first' } }, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      // The rows are in the first piece.
      rows.resolve(response.statusCode!);
      body += piece;
    });
    response.on('end', () => whole.resolve(body));
    response.on('error', fail);
  }).on('error', fail);
  whole.promise.catch(() => undefined);
  return { rows: rows.promise, whole: whole.promise, abandon: () => void request.destroy() };
}
