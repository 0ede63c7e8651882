/** An instance of the service that reads from several nodes, and load for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import type { WireCustomerList } from '@clientele/contract';
import { buildApp, readConfig } from '@clientele/server';
import { temporaryFolder } from '@clientele/sandbox/testing';
import { promised, stoodStill, strict } from '@clientele/sandbox/testing/machine';
import { type Node, Nodes, type Timeouts } from '@clientele/directory';
import type { NodeSet, TestNode } from './node-set.ts';

export interface Instance {
  app: FastifyInstance;
  nodes: Nodes;
  /** A customer. */
  id: string;
  /** How many requests each node has been given since the last call, by its name. */
  shares(): Record<string, number>;
}

/** The real app on these nodes. It is closed with the test. */
export async function serveFrom(
  set: NodeSet,
  env: Record<string, string> = {},
  limits?: Timeouts,
): Promise<Instance> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const given = {
    DATABASE_URL: set.url,
    CLIENTELE_AUTH: 'none',
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
    ...env,
  };
  const config = readConfig(given, limits);
  const nodes = new Nodes(config);
  const readiness = { checked: true, draining: false };
  const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
  await nodes.start();
  const [known] = await set.nodes[0]!.query<{ uuid: string }>('select uuid from customers limit 1');
  onTestFinished(async () => {
    await app.close();
    await nodes.close();
  });
  const before = new Map<string, number>();
  return {
    app,
    nodes,
    id: known!.uuid,
    shares: () =>
      Object.fromEntries(
        nodes.all.map(({ name, requests }) => {
          const given = requests - (before.get(name) ?? 0);
          before.set(name, requests);
          return [name, given];
        }),
      ),
  };
}

export interface Load {
  requests: number;
  served: number;
  /** Responses other than 200. Without STRICT_TIMES, not those that a slow machine may have caused. */
  failed: string[];
  longestMs: number;
  /** Responses that said how old they were. */
  dated: number;
  /** Totals of the list without a search. */
  totals: Set<number>;
}

/**
 * Enough for the requests that wait during a failover of five seconds. Without a limit, requests would pile up on a slow
 * machine.
 */
const mostUnderWay = 300;

/** 50 requests a second, lists and lookups, until `work` is done. Later ones do not wait for earlier ones. */
export async function underLoad(
  { app, id }: Instance,
  work: () => Promise<unknown>,
  sent: Record<string, string> = {},
): Promise<Load> {
  const load: Load = {
    requests: 0,
    served: 0,
    failed: [],
    longestMs: 0,
    dated: 0,
    totals: new Set(),
  };
  const sending: Promise<void>[] = [];
  let underWay = 0;
  const request = async (url: string): Promise<void> => {
    const before = performance.now();
    const { statusCode, body, headers } = await app.inject({ url, headers: sent });
    const ms = performance.now() - before;
    load.longestMs = Math.max(load.longestMs, ms);
    if (statusCode === 200) {
      load.served += 1;
      if (url.includes('search=&')) load.totals.add(totalOf(body));
    } else if (!isExcused(body, { sentAt: before, ms })) {
      load.failed.push(`${statusCode} ${body}`);
    }
    if (headers['clientele-data-as-of'] !== undefined) load.dated += 1;
  };
  const searches = ['', 'anna', 'a', 'smith', 'gmail'];
  const timer = setInterval(() => {
    if (underWay >= mostUnderWay) return;
    underWay += 1;
    load.requests += 1;
    const search = searches[Math.floor(load.requests / 5) % searches.length]!;
    const page = 1 + (load.requests % 3);
    const lookup = load.requests % 5 < 2;
    const url = lookup ? `/v3/customers/${id}` : `/v3/customers?search=${search}&page=${page}`;
    sending.push(request(url).finally(() => (underWay -= 1)));
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await Promise.all(sending);
  }
  return load;
}

/** Whether the machine stood still, or is too slow for the load. */
const isExcused = (body: string, when: { sentAt: number; ms: number }): boolean =>
  stoodStill(when) || (!strict && body.includes('"code":"overloaded"'));

const totalOf = (body: string): number => (JSON.parse(body) as WireCustomerList).pagination.total;

/** Waits, and returns how long it took. */
export async function until(
  what: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<number> {
  const started = performance.now();
  while (!(await what())) {
    const waited = performance.now() - started;
    if (waited > promised(withinMs)) throw new Error(`not within ${withinMs} ms: ${String(what)}`);
    await sleep(10);
  }
  return performance.now() - started;
}

/** What the instance knows about a node. */
export const nodeOf = ({ nodes }: Instance, { name }: TestNode): Node =>
  nodes.all.find((node) => node.name === name)!;

/** Whether reads may go to a node at all. */
export const serves = ({ responds, history }: Node): boolean => responds && history === 'ours';
