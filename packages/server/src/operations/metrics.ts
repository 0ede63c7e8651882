/** Prometheus metrics. Labels are routes, methods, statuses and lanes, never anything a caller sent. */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Nodes } from '../db/nodes.ts';
import type { Admission } from '../http/admission.ts';
import { addNodeMetrics } from './node-metrics.ts';

export interface MetricsOptions {
  /** Has the route `/metrics`. */
  at: FastifyInstance;
  nodes: Nodes;
  admission: Admission;
  /** The cached searches, and the bytes of their page maps. */
  held: () => { searches: number; bytes: number };
}

export function addMetrics(app: FastifyInstance, options: MetricsOptions): void {
  const { at, nodes, admission, held } = options;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const duration = new Histogram({
    name: 'clientele_http_request_duration_seconds',
    help: 'Time from receiving a request to sending the last byte of its response.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  // Looking up a histogram by its labels costs as much as everything else here, so it is done once.
  const durations = new Map<string, Histogram.Internal<'route' | 'method' | 'status'>>();
  app.addHook('onResponse', (request, reply, done) => {
    const method = request.method === 'GET' || request.method === 'HEAD' ? request.method : 'other';
    const route = request.routeOptions.url ?? 'none';
    const status = String(reply.statusCode);
    const key = `${status} ${method} ${route}`;
    let known = durations.get(key);
    if (!known) durations.set(key, (known = duration.labels({ route, method, status })));
    known.observe(reply.elapsedTime / 1000);
    done();
  });

  new Gauge({
    name: 'clientele_requests_in_flight',
    help: 'Admitted requests that are being processed, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, places] of Object.entries(admission.places)) {
        this.set({ kind }, places.taken);
      }
    },
  });
  new Gauge({
    name: 'clientele_database_connections',
    help: 'Database connections by lane and state.',
    labelNames: ['lane', 'state', 'node'],
    registers,
    collect() {
      for (const { name, database } of nodes.all) {
        const node = nodes.all.length > 1 ? { node: name } : {};
        for (const lane of database.lanes) {
          const { open, idle } = lane.connections;
          this.set({ ...node, lane: lane.name, state: 'idle' }, idle);
          this.set({ ...node, lane: lane.name, state: 'busy' }, open - idle);
          this.set({ ...node, lane: lane.name, state: 'waited_for' }, lane.slots.waiting);
        }
      }
    },
  });
  if (nodes.all.length > 1) addNodeMetrics(nodes, registry);

  new Gauge({
    name: 'clientele_searches_remembered',
    help: 'Searches whose page map is cached.',
    registers,
    collect() {
      this.set(held().searches);
    },
  });
  new Gauge({
    name: 'clientele_page_map_bytes',
    help: 'Memory used by cached page maps.',
    registers,
    collect() {
      this.set(held().bytes);
    },
  });

  at.get('/metrics', async (_request, reply) => {
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
}
