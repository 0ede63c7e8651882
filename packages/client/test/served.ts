/** The real server on a real database, listening on a port, with a client for it. */
import type { AddressInfo } from 'node:net';
import {
  ApiError,
  createCustomersService,
  type CustomersService,
  type CustomersServiceOptions,
} from '@clientele/client';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { expect } from 'vitest';

export interface Served extends AsyncDisposable {
  server: TestService;
  url: string;
  client(options?: Partial<CustomersServiceOptions>): CustomersService;
}

export async function serve(env?: Record<string, string>): Promise<Served> {
  const server = await startTestService(env);
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    server,
    url,
    client: (options) =>
      createCustomersService({
        baseUrl: url,
        headers: { authorization: `Bearer ${server.key}` },
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      server.app.server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The `ApiError` that the promise rejects with. */
export async function apiError(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => expect.unreachable('should have been rejected'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}
