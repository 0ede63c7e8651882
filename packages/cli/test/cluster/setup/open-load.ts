/** Requests at a fixed rate, whether or not earlier ones have been answered. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpGet, type HttpResponse } from '../../setup/load.ts';
import type { Verdict } from './fixed-customers.ts';

export interface OpenLoadOptions {
  url: string;
  /** Of the callers, who take turns. */
  keys: readonly string[];
  perSecond: number;
  choosePath: () => string;
  /** Called with each response of status 200. */
  judge: (response: HttpResponse) => Verdict;
}

export interface Sample extends Verdict {
  path: string;
  /** `200`, `503 database-unavailable`, `failed ECONNRESET`. */
  outcome: string;
  sentAt: number;
  ms: number;
}

export interface OpenLoad extends AsyncDisposable {
  /** In the order of their answers. */
  samples: readonly Sample[];
  /** Stops sending and resolves when every request has been answered. */
  stop(): Promise<void>;
}

export function startOpenLoad(options: OpenLoadOptions): OpenLoad {
  const { url, keys, perSecond, choosePath, judge } = options;
  const agent = new http.Agent({ keepAlive: true });
  const samples: Sample[] = [];
  const open = new Set<Promise<void>>();
  const stopping = new AbortController();

  const send = async (key: string): Promise<void> => {
    const path = choosePath();
    const sentAt = performance.now();
    try {
      const response = await httpGet(url + path, key, agent);
      const outcome = [response.status, response.body.code].filter(Boolean).join(' ');
      const verdict = response.status === 200 ? judge(response) : {};
      samples.push({ path, outcome, sentAt, ms: response.ms, ...verdict });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const ms = performance.now() - sentAt;
      samples.push({ path, outcome: `failed ${code ?? message}`, sentAt, ms });
    }
  };
  const run = async (): Promise<void> => {
    const start = performance.now();
    for (let sent = 0; !stopping.signal.aborted; sent += 1) {
      const wait = start + (sent * 1_000) / perSecond - performance.now();
      if (wait > 0) await sleep(wait);
      const request = send(keys[sent % keys.length]!).finally(() => open.delete(request));
      open.add(request);
    }
    await Promise.all(open);
    agent.destroy();
  };
  const running = run();
  const stop = (): Promise<void> => {
    stopping.abort();
    return running;
  };
  return { samples, stop, [Symbol.asyncDispose]: stop };
}

export function countOutcomes(samples: readonly Sample[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of samples) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** The value that the given share of the samples does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
