/** What the metrics say about each of several nodes. Nodes are named by host and port. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Node, Nodes } from '@clientele/directory';

interface Measure<Of> {
  name: string;
  help: string;
  read: (of: Of) => number;
}

const gauges: Measure<Node>[] = [
  {
    name: 'clientele_node_up',
    help: '1 if the node responds.',
    read: ({ responds }) => Number(responds),
  },
  {
    name: 'clientele_node_foreign',
    help: '1 if the node has left the history of the primary.',
    read: ({ history }) => Number(history === 'foreign'),
  },
  {
    name: 'clientele_node_lag_seconds',
    help: 'How old the data of the node may be.',
    read: ({ age }) => age / 1_000,
  },
  {
    name: 'clientele_node_requests_in_flight',
    help: 'Requests that the node is answering.',
    read: ({ inFlight }) => inFlight,
  },
];

const counters: Measure<Node>[] = [
  {
    name: 'clientele_node_requests_total',
    help: 'Requests given to the node.',
    read: ({ requests }) => requests,
  },
  {
    name: 'clientele_node_ejections_total',
    help: 'How often the node was taken out of service.',
    read: ({ ejections }) => ejections,
  },
];

const totals: Measure<Nodes>[] = [
  {
    name: 'clientele_node_retries_total',
    help: 'Requests that were given to a second node because the first one failed.',
    read: ({ retries }) => retries,
  },
  {
    name: 'clientele_reads_without_primary_total',
    help: 'Reads while no primary was known.',
    read: ({ readsWithoutPrimary }) => readsWithoutPrimary,
  },
];

export function addNodeMetrics(nodes: Nodes, registry: Registry): void {
  const common = { registers: [registry] };
  new Gauge({
    name: 'clientele_node_primary',
    help: '1 if the node is the primary.',
    labelNames: ['node'],
    ...common,
    collect() {
      for (const node of nodes.all) this.set({ node: node.name }, Number(node === nodes.primary));
    },
  });
  for (const { name, help, read } of gauges) {
    new Gauge({
      ...{ name, help, labelNames: ['node'], ...common },
      collect() {
        for (const node of nodes.all) this.set({ node: node.name }, read(node));
      },
    });
  }
  for (const { name, help, read } of counters) {
    new Counter({
      ...{ name, help, labelNames: ['node'], ...common },
      collect() {
        this.reset();
        for (const node of nodes.all) this.inc({ node: node.name }, read(node));
      },
    });
  }
  for (const { name, help, read } of totals) {
    new Counter({
      ...{ name, help, ...common },
      collect() {
        this.reset();
        this.inc(read(nodes));
      },
    });
  }
}
