import { expect } from 'vitest';
import { type CustomersServiceOptions, createCustomersService } from '@clientele/client';

/** A service whose `fetch` always returns the same response, and the requests it received. */
export function answering(
  respond: () => Response | Promise<Response>,
  options: Partial<CustomersServiceOptions> = {},
) {
  const requests: Request[] = [];
  const service = createCustomersService({
    baseUrl: 'https://customers.example',
    fetch: async (url, init) => {
      requests.push(new Request(url, init));
      return respond();
    },
    ...options,
  });
  return { service, requests, url: () => new URL(requests.at(-1)!.url) };
}
/** The error that the promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('should have been rejected'),
    (error: unknown) => error,
  );
