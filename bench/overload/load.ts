/** Requests with a given key, and what became of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessKey } from '@clientele/sandbox';
import { HttpClient } from '../http-client.ts';
import { list } from '../list-requests.ts';
import { startService } from '../service.ts';
import type { CustomersDatabase } from '../customers-database.ts';
import { summarise, type Summary } from '../statistics.ts';

export interface Sent {
  status: number;
  ms: number;
}

export type Client = (path: string) => Promise<Sent>;

export interface Target {
  origin: string;
  port: number;
  /** A client with a new access key. */
  newClient(): Promise<Client>;
  stop(): Promise<void>;
}

/** The real executable with its default limits on requests in progress, but no rates. */
export async function startTarget({ url }: CustomersDatabase): Promise<Target> {
  const service = await startService(url, { LOG_LEVEL: 'error', CLIENTELE_CONCURRENCY: '10' });
  const port = Number(new URL(service.origin).port);
  const clients: HttpClient[] = [];
  return {
    origin: service.origin,
    port,
    async newClient() {
      const key = await createAccessKey(url, 'bench');
      const client = new HttpClient(port, { authorization: `Bearer ${key}` });
      clients.push(client);
      return async (path) => {
        const start = performance.now();
        const status = await client.get(path).then(
          (response) => response.status,
          () => 0,
        );
        return { status, ms: performance.now() - start };
      };
    },
    async stop() {
      for (const client of clients) client.close();
      await service.stop();
    },
  };
}

/** Sends paths one after the other until `ms` have passed; `turn` is where to begin. */
export async function keepSending(
  client: Client,
  paths: readonly string[],
  { ms, pauseMs = 0, turn = 0 }: { ms: number; pauseMs?: number; turn?: number },
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const end = performance.now() + ms;
  for (let i = turn; performance.now() < end; i += 1) {
    sent.push(await client(paths[i % paths.length]!));
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return sent;
}

/** Lookups and lists in turn. */
export async function readPaths(database: CustomersDatabase): Promise<string[]> {
  const ids = await database.query<{ uuid: string }>('select uuid from customers limit 200');
  return ids.flatMap(({ uuid }, i) => [`${list}/${uuid}`, `${list}?page=${i + 1}`]);
}

export const times = (sent: readonly Sent[]): Summary => summarise(sent.map(({ ms }) => ms));

/** How many got each status. 0: no response. */
export function tally(sent: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of sent) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
