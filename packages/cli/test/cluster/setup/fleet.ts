/** Two instances behind HAProxy on a cluster of three nodes. */
import { createAccessKey, waitUntilReady, withClient } from '@clientele/sandbox';
import {
  findTools,
  startBalancer,
  startCluster,
  type Cluster,
  type PatroniNode,
} from '@clientele/sandbox/testing/cluster';
import { startService, type Environment, type Service } from '../../setup/executable.ts';
import { insertFixedCustomers } from './fixed-customers.ts';

export const tools = await findTools();
/** Why the tests of this project are skipped on this machine, for their title; empty if they run. */
export const skipped = typeof tools === 'string' ? ` (skipped: ${tools})` : '';

export interface Fleet extends AsyncDisposable {
  cluster: Cluster;
  instances: Service[];
  /** The balancer's URL. */
  url: string;
  /** Of five callers: one alone may have ten requests in progress, fewer than wait for a node that falls silent. */
  keys: string[];
}

export interface FleetOptions {
  synchronous?: boolean;
  env?: Environment;
}

export async function startFleet({
  synchronous = false,
  env = {},
}: FleetOptions = {}): Promise<Fleet> {
  if (typeof tools === 'string') throw new Error(tools);
  const cluster = await startCluster(tools, { synchronous });
  const instances: Service[] = [];
  const dispose = async (): Promise<void> => {
    for (const instance of instances) await instance[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  };
  try {
    const ownerUrl = cluster.ownerUrl(await cluster.leader());
    await withClient(ownerUrl, insertFixedCustomers);
    const keys: string[] = [];
    for (let i = 1; i <= 5; i += 1) keys.push(await createAccessKey(ownerUrl, `caller ${i}`));
    await cluster.settled();
    for (let i = 0; i < 2; i += 1) {
      const DATABASE_URL = cluster.serveUrl;
      instances.push(await startService({ DATABASE_URL, LOG_LEVEL: 'info', ...env }));
    }
    for (const { url } of instances) {
      await waitUntilReady(url, { isRunning: () => true, timeoutMs: 10_000 });
    }
    const ports = instances.map(({ port }) => port);
    const url = await startBalancer(tools, cluster.keeper, ports);
    return { cluster, instances, url, keys, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The sum over the instances of a metric by node: of one node, or of all. */
export async function sumMetric(
  name: `clientele_node_${string}`,
  { instances }: Fleet,
  node?: PatroniNode,
): Promise<number> {
  const label = node ? String.raw`127\.0\.0\.1:${node.proxy.port}` : '.*';
  const line = new RegExp(String.raw`^${name}\{node="${label}"\} (\d+)$`, 'gm');
  let sum = 0;
  for (const { url } of instances) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, value] of text.matchAll(line)) sum += Number(value);
  }
  return sum;
}

/** How many requests the instances have given to a node. Probes do not count. */
export const requestsTo = (node: PatroniNode, fleet: Fleet): Promise<number> =>
  sumMetric('clientele_node_requests_total', fleet, node);
