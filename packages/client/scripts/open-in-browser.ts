/** Serves a built page and an API with two customers, and opens the page in a browser. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { promisify } from 'node:util';
import type { WireCustomerList } from '@clientele/contract';

const list: WireCustomerList = {
  data: ['Anna Example', 'Bo Example'].map((full_name, n) => ({
    uuid: `00000000-0000-4000-8000-00000000000${n}`,
    full_name,
    email_address: `customer-${n}@example.com`,
    phone_number: null,
    company_name: null,
    is_verified: true,
    total_orders: 0,
    lifetime_value_cents: 0,
    last_order_at: null,
    created_at: '2026-01-31T09:05:00.000Z',
  })),
  pagination: { page: 1, per_page: 10, total: 2 },
};

const types: Record<string, string> = { html: 'text/html', js: 'text/javascript' };

/** Returns the page's HTML after it has loaded. Needs `chromium` on the PATH. */
export async function openInBrowser(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    if (path === '/v3/customers') {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
      return;
    }
    const file = path === '/' ? 'index.html' : normalize(path);
    readFile(join(folder, file)).then(
      (content) =>
        response.setHeader('content-type', types[file.split('.').pop()!] ?? '').end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=10000'];
    const url = `http://127.0.0.1:${port}/`;
    return (await promisify(execFile)('chromium', [...flags, '--dump-dom', url])).stdout;
  } catch (error) {
    throw new Error('Could not run chromium. Install it: apt-get install chromium', {
      cause: error,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
