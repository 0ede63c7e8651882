/** What has to hold behind any proxy. Each check throws with what it found. */
import { connect } from 'node:net';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Nodes } from '@clientele/directory';
import { attacks } from './attacks.ts';

export interface Setup {
  /** The port of the proxy, and of the service behind it. */
  port: number;
  service: number;
  key: string;
  /** The methods of the requests that the service has logged so far. */
  methods: () => string[];
  nodes: Nodes;
  /** See Proxy. */
  http10?: string | undefined;
  packs?: boolean | undefined;
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Options {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The client's own address; any of 127.0.0.0/8. */
  from?: string;
}

function ask(port: number, path: string, options: Options = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body, from = '127.0.0.2' } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host: 'customers.example', ...headers },
        localAddress: from,
        agent: false,
      },
      (response) => {
        const { statusCode = 0, headers: received } = response;
        text(response).then(
          (whole) => resolve({ status: statusCode, headers: received, body: whole }),
          reject,
        );
      },
    );
    sent.setTimeout(10_000, () => sent.destroy(new Error(`${method} ${path}: no response`)));
    sent.on('error', reject).end(body);
  });
}

export function require(holds: boolean, found: string): void {
  if (!holds) throw new Error(found);
}

/** Sends bytes and waits until the proxy closes the connection or has been quiet for a moment. */
function throwAt(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.setTimeout(250, () => socket.destroy());
    socket.on('error', () => undefined).resume();
    socket.on('close', () => resolve());
  });
}

export async function nothingIsSmuggled({ port, service, methods }: Setup): Promise<string> {
  for (const attack of attacks) {
    await throwAt(port, attack);
    // The next requests may get what was left over, on any of the connections to the service.
    const next = await Promise.all([1, 2, 3].map(() => ask(port, '/livez')));
    for (const { status, body } of next) {
      const found = `after ${JSON.stringify(attack)}: ${status} ${body}`;
      require(status === 200 && body === '{"status":"alive"}', found);
    }
    require(!methods().includes('DELETE'), `the service received ${JSON.stringify(attack)}`);
  }
  const { status } = await ask(port, '/session', { method: 'DELETE' });
  require(status === 403 && !methods().includes('DELETE'), `the proxy accepts DELETE: ${status}`);
  await ask(service, '/session', { method: 'DELETE' });
  require(methods().includes('DELETE'), 'a DELETE that the service receives is not noticed');
  return `${attacks.length} ambiguous requests, none smuggled`;
}

const signIn = (key: string, forwarded?: string): Options => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
  },
  body: JSON.stringify({ key }),
});

export async function noSpoofedAddressCounts({ port }: Setup): Promise<string> {
  const statuses: number[] = [];
  for (let n = 1; n <= 12; n += 1) {
    const spoofed = signIn('guess', `203.0.113.${n}, 198.51.100.${n}`);
    statuses.push((await ask(port, '/session', { ...spoofed, from: '127.0.0.3' })).status);
  }
  require(statuses.slice(0, 10).every((status) => status === 401), `failures: ${statuses.join()}`);
  require(statuses.at(-1) === 429, `a spoofed address counts: ${statuses.join()}`);
  const { status } = await ask(port, '/session', { ...signIn('guess'), from: '127.0.0.4' });
  require(status === 401, `another client is counted as the same one: ${status}`);
  return 'twelve spoofed addresses counted as one client, another client as another';
}

export async function nothingPersonalIsCached({ port, key }: Setup): Promise<string> {
  const signedIn = await ask(port, '/session', signIn(key));
  const [cookie = ''] = (signedIn.headers['set-cookie']?.[0] ?? '').split(';');
  require(signedIn.status === 200 && cookie !== '', `sign-in: ${signedIn.status}`);
  const credentials = [{ authorization: `Bearer ${key}` }, { cookie }];
  const first = await ask(port, '/v3/customers', { headers: credentials[0]! });
  const { uuid } = (JSON.parse(first.body) as { data: { uuid: string }[] }).data[0]!;
  const paths = ['/v3/customers', '/v3/customers?search=a', `/v3/customers/${uuid}`, '/session'];
  for (const path of paths) {
    for (const headers of path === '/session' ? credentials.slice(1) : credentials) {
      for (let n = 1; n <= 2; n += 1) {
        const { status, headers: received } = await ask(port, path, { headers });
        require(status === 200, `${path}: ${status}`);
        require(!cameFromCache(received), `${path} came from a cache`);
      }
    }
    const { status, body } = await ask(port, path);
    require(status === 401, `${path} without a key: ${status} ${body.slice(0, 80)}`);
    // Nor is the refusal kept for those who have a key.
    const again = await ask(port, path, { headers: credentials[1]! });
    require(again.status === 200, `${path} after a refusal: ${again.status}`);
  }
  const asset = '/assets/app-1234.js';
  await ask(port, asset);
  const { headers } = await ask(port, asset);
  require(cameFromCache(headers), `${asset} did not come from the cache: is there one?`);
  return `${paths.length} personal paths never cached, a file of the console cached`;
}

function cameFromCache(headers: IncomingHttpHeaders): boolean {
  const { age, 'x-cache-status': status, 'x-varnish': ids } = headers;
  if (status !== undefined) return status === 'HIT';
  // Varnish names the request that filled the cache as well.
  if (ids !== undefined) return String(ids).includes(' ');
  return age !== undefined;
}

export async function cookiesAreRight({ port, key }: Setup): Promise<string> {
  const { headers } = await ask(port, '/session', signIn(key));
  const cookie = headers['set-cookie']?.[0] ?? '';
  const right =
    /^__Host-clientele-session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/;
  require(right.test(cookie), `cookie: ${cookie.replace(/=[^;]*/, '=…')}`);
  const hsts = headers['strict-transport-security'];
  require(hsts === 'max-age=31536000', `Strict-Transport-Security: ${hsts}`);
  return 'the cookie is Secure, HttpOnly, SameSite=Strict and of this host only';
}

export async function untilItAnswers({ port }: Setup): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const status = await ask(port, '/readyz').then(
      (reply) => reply.status,
      () => 0,
    );
    if (status === 200) return;
    require(performance.now() < deadline, `the proxy does not answer: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
