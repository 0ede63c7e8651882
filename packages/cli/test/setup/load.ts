/** Clients that keep asking, over keep-alive connections, as a balancer would hand them around. */
import { EventEmitter, on } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  path: string;
  /** 0 when the request was lost: refused by every instance, reset, or answered in part. */
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The body, parsed; of a problem document, its code is what tests ask for. */
  body: { code?: string; data?: unknown; pagination?: { total: number } };
  /** When the request was sent and how long it took, in milliseconds of performance.now(). */
  sentAt: number;
  ms: number;
  fault?: string;
}

/** One request. Rejects when it is refused, reset or answered in part. */
export function ask(url: string, key?: string, agent?: http.Agent): Promise<Answer> {
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
          body: isJson ? (JSON.parse(text) as Answer['body']) : {},
          sentAt,
          ms: performance.now() - sentAt,
        });
      });
    });
  });
}

export interface LoadOptions {
  /** Instances, asked in turn; one that refuses the connection is passed over. */
  targets: string[];
  /** Asked in turn. */
  paths: string[];
  key: string;
  /** Clients at once, each with one connection to each instance. */
  clients?: number;
  keepAlive?: boolean;
  /** Passes over instances whose /readyz says no, asked ten times a second. */
  watchHealth?: boolean;
  /** Time between a client's requests; without, it asks again as soon as it is answered. */
  pauseMs?: number;
}

export interface Load extends AsyncDisposable {
  answers: readonly Answer[];
  /** Resolves with the first answer from now on for which this holds. */
  next(wanted: (answer: Answer) => boolean): Promise<Answer>;
  stop(): Promise<void>;
}

export function startLoad(options: LoadOptions): Load {
  const { targets, paths, key, clients = 8, keepAlive = true, pauseMs = 0 } = options;
  const { watchHealth = false } = options;
  const answers: Answer[] = [];
  const events = new EventEmitter();
  const stopping = new AbortController();

  const unwell = new Set<string>();
  const watch = async (target: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      const well = await ask(`${target}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (well) unwell.delete(target);
      else unwell.add(target);
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
      const well = order.filter((target) => !unwell.has(target));
      const answer = await askInTurn(well, path, key, agent);
      answers.push(answer);
      events.emit('answer', answer);
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
    answers,
    async next(wanted) {
      for await (const [answer] of on(events, 'answer') as AsyncIterable<[Answer]>) {
        if (wanted(answer)) return answer;
      }
      throw new Error('unreachable');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function askInTurn(
  targets: string[],
  path: string,
  key: string,
  agent: http.Agent,
): Promise<Answer> {
  const sentAt = performance.now();
  let fault = 'no instance is well';
  for (const target of targets) {
    try {
      return await ask(target + path, key, agent);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      fault = code ?? message;
      if (code !== 'ECONNREFUSED') break;
    }
  }
  const ms = performance.now() - sentAt;
  return { path, status: 0, headers: {}, body: {}, sentAt, ms, fault };
}

/** How often each status and code came: `200`, `503 database-unavailable`, `lost ECONNRESET`. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body, fault } of answers) {
    const kind =
      fault === undefined ? [status, body.code].filter(Boolean).join(' ') : `lost ${fault}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
