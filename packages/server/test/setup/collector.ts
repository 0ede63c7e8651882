/** A collector of traces: an HTTP server that keeps what it was sent. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string>;
  status?: { code: number };
}

export interface Collector extends AsyncDisposable {
  url: string;
  requests: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[];
  /** Of all requests. */
  spans(): ReceivedSpan[];
  /** All that was received, as text. */
  text(): string;
}

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: string };
}

interface Otlp {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: KeyValue[] })[] }[];
  }[];
}

/** Answers with the status, or never. */
export async function startCollector(answer: number | 'never' = 200): Promise<Collector> {
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ path: request.url, headers: request.headers, body });
      if (answer !== 'never') response.writeHead(answer, { location: '/elsewhere' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => requests.flatMap(({ body }) => spansOf(body)),
    text: () => requests.map((request) => JSON.stringify(request)).join('\n'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const resourceOf = (body: string): Record<string, string> =>
  asRecord((JSON.parse(body) as Otlp).resourceSpans[0]!.resource.attributes);

function spansOf(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as Otlp;
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
  return spans.map((span) => ({ ...span, attributes: asRecord(span.attributes) }));
}

const asRecord = (attributes: KeyValue[]): Record<string, string> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue!]),
  );
