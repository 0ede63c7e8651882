/** What the metrics say about each of several nodes. Nodes are named by host and port. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Node, Nodes } from '../db/nodes.ts';

export function addNodeMetrics(nodes: Nodes, registry: Registry): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (node: Node) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['node'],
      registers,
      collect() {
        for (const node of nodes.all) this.set({ node: node.name }, read(node));
      },
    });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  gauge('clientele_node_up', '1 while the node responds.', (node) => Number(node.responds));
  gauge('clientele_node_primary', '1 if the node is the primary.', (node) =>
    Number(node === nodes.primary),
  );
  gauge('clientele_node_foreign', '1 if the node has left the history of the primary.', (node) =>
    Number(node.history === 'foreign'),
  );
  gauge(
    'clientele_node_lag_seconds',
    'How old the data of the node may be.',
    (node) => node.age / 1000,
  );
  gauge('clientele_node_requests_in_flight', 'Requests at the node.', (node) => node.inFlight);
  new Counter({
    name: 'clientele_node_requests_total',
    help: 'Requests given to the node.',
    labelNames: ['node'],
    registers,
    collect() {
      this.reset();
      for (const { name, requests } of nodes.all) this.inc({ node: name }, requests);
    },
  });
  new Counter({
    name: 'clientele_node_ejections_total',
    help: 'How often the node was taken out of service.',
    labelNames: ['node'],
    registers,
    collect() {
      this.reset();
      for (const { name, ejections } of nodes.all) this.inc({ node: name }, ejections);
    },
  });
  counter(
    'clientele_node_retries_total',
    'Requests that were given to a second node because the first one failed.',
    () => nodes.retries,
  );
  counter(
    'clientele_reads_without_primary_total',
    'Reads that were answered while no primary was known.',
    () => nodes.readsWithoutPrimary,
  );
}
