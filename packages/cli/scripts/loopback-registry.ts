/**
 * A package registry on the loopback interface, with as much of the protocol as `npm publish` and
 * `npm install` use. It keeps in memory what is published to it, and knows nothing else.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Published {
  name: string;
  versions: Record<string, object>;
  _attachments: Record<string, { data: string }>;
}

export interface Registry extends AsyncDisposable {
  url: string;
  /** Settings with which npm publishes to this registry and installs from it. */
  env: Record<string, string>;
  /** The published tarballs, by path. */
  tarballs: ReadonlyMap<string, Buffer>;
}

export async function startRegistry(): Promise<Registry> {
  const documents = new Map<string, object>();
  const tarballs = new Map<string, Buffer>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url!.slice(1));
    if (request.method === 'PUT') {
      const { _attachments: attachments, ...document } = (await json(request)) as Published;
      documents.set(path, document);
      for (const [file, { data }] of Object.entries(attachments)) {
        tarballs.set(`${path}/-/${file}`, Buffer.from(data, 'base64'));
      }
      response.writeHead(201).end('{}');
      return;
    }
    const document = documents.get(path);
    const body = document ? JSON.stringify(document) : tarballs.get(path);
    if (body === undefined) response.writeHead(404).end('{}');
    else response.end(body);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    // npm does not publish without a token, even where none is asked for.
    env: { npm_config_registry: url, [`npm_config_${url.slice(5)}:_authToken`]: 'none' },
    tarballs,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
