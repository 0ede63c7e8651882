/** A service whose responses are sent piece by piece. */
import { createCustomersService } from '@clientele/client';
import { customer } from './directory.ts';

export const data = [customer(1), { ...customer(2), full_name: 'Zoë "]" 東京' }];
export const start = JSON.stringify({ data }).slice(0, -1);
export const end = ',"pagination":{"page":1,"per_page":25,"total":70}}';

export function inPieces() {
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const service = createCustomersService({
    baseUrl: 'https://customers.example',
    fetch: async (_url, { signal }) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          bodies.push(controller);
          signal?.addEventListener('abort', () => controller.error(signal.reason));
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    },
  });
  const send = (text: string, body = bodies.at(-1)!) =>
    body.enqueue(new TextEncoder().encode(text));
  return { service, bodies, send, close: () => bodies.at(-1)!.close() };
}
