/** Clients that send requests continuously, distributed over instances as by a load balancer. */
import { EventEmitter, on } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { stoodStill } from '@clientele/sandbox/testing/machine';

export interface HttpResponse {
  path: string;
  /** 0 if the request failed: refused by every instance, reset, or the response was incomplete. */
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The parsed body; `code` is set in problem documents. */
  body: { code?: string; data?: unknown; pagination?: { total: number } };
  /** When the request was sent (performance.now()) and how long it took, in milliseconds. */
  sentAt: number;
  ms: number;
  fault?: string;
}

/** Sends one request. Rejects if it is refused or reset, or if the response is incomplete. */
export function httpGet(url: string, key?: string, agent?: http.Agent): Promise<HttpResponse> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(url, {
      agent: agent ?? false,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('error', reject);
      response.on('data', (part: string) => (text += part));
      response.on('end', () => {
        const { statusCode, headers } = response;
        const { pathname, search } = new URL(url);
        const isJson = headers['content-type']?.includes('json');
        resolve({
          path: pathname + search,
          status: statusCode!,
          headers,
          body: isJson ? (JSON.parse(text) as HttpResponse['body']) : {},
          sentAt,
          ms: performance.now() - sentAt,
        });
      });
    });
  });
}

export interface LoadOptions {
  /** Instances, used in turn. If one refuses the connection, the next is tried. */
  targets: string[];
  /** Requested in turn. */
  paths: string[];
  key: string;
  /** Number of concurrent clients, each with one connection per instance. */
  clients?: number;
  keepAlive?: boolean;
  /** Skips instances that are not ready, by polling /readyz ten times a second. */
  watchHealth?: boolean;
  /** Pause between the requests of a client. */
  pauseMs?: number;
}

export interface Load extends AsyncDisposable {
  responses: readonly HttpResponse[];
  /** Resolves with the next response that matches. */
  next(matches: (response: HttpResponse) => boolean): Promise<HttpResponse>;
  stop(): Promise<void>;
}

export function startLoad(options: LoadOptions): Load {
  const { targets, paths, key, clients = 8, keepAlive = true, pauseMs = 0 } = options;
  const { watchHealth = false } = options;
  const responses: HttpResponse[] = [];
  const events = new EventEmitter();
  const stopping = new AbortController();

  const notReady = new Set<string>();
  const watch = async (target: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      const ready = await httpGet(`${target}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (ready) notReady.delete(target);
      else notReady.add(target);
      await pause(100);
    }
  };

  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, null, { signal: stopping.signal }).catch(() => undefined);

  const runClient = async (turn: number): Promise<void> => {
    const agent = new http.Agent({ keepAlive, maxSockets: 1 });
    for (let i = turn; !stopping.signal.aborted; i += 1) {
      const path = paths[i % paths.length]!;
      const order = targets.map((_, n) => targets[(i + n) % targets.length]!);
      const candidates = order.filter((target) => !notReady.has(target));
      const response = await getFromFirst(candidates, path, key, agent);
      responses.push(response);
      events.emit('response', response);
      if (pauseMs > 0) await pause(pauseMs);
    }
    agent.destroy();
  };
  const running = Promise.all([
    ...Array.from({ length: clients }, (_, turn) => runClient(turn)),
    ...(watchHealth ? targets.map(watch) : []),
  ]);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return {
    responses,
    async next(matches) {
      for await (const [response] of on(events, 'response') as AsyncIterable<[HttpResponse]>) {
        if (matches(response)) return response;
      }
      throw new Error('unreachable');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function getFromFirst(
  targets: string[],
  path: string,
  key: string,
  agent: http.Agent,
): Promise<HttpResponse> {
  const sentAt = performance.now();
  let fault = 'no instance is ready';
  for (const target of targets) {
    try {
      return await httpGet(target + path, key, agent);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      fault = code ?? message;
      if (code !== 'ECONNREFUSED') break;
    }
  }
  const ms = performance.now() - sentAt;
  return { path, status: 0, headers: {}, body: {}, sentAt, ms, fault };
}

/** A percentile of the times, in milliseconds to one decimal; NaN without responses. */
export function percentile(responses: readonly HttpResponse[], percent: number): number {
  const sorted = responses.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const ms = sorted[Math.floor((sorted.length * percent) / 100)] ?? NaN;
  return Math.round(ms * 10) / 10;
}

/** Counts by status and code: `200`, `503 database-unavailable`, `failed ECONNRESET`. */
export function tally(responses: readonly HttpResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body, fault } of responses) {
    const kind =
      fault === undefined ? [status, body.code].filter(Boolean).join(' ') : `failed ${fault}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Counts of responses other than 200, without those of a machine that stood still. */
export function failures(responses: readonly HttpResponse[]): Record<string, number> {
  return tally(responses.filter((each) => each.status !== 200 && !stoodStill(each)));
}
