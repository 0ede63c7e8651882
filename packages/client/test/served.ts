/** The real server on a real database, listening, and a client that talks to it. */
import type { AddressInfo } from 'node:net';
import {
  createCustomersService,
  type CustomersService,
  type CustomersServiceOptions,
} from '@clientele/client';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

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
