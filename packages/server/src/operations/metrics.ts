/**
 * Prometheus metrics. Labels are routes, methods, statuses, lanes, codes and nodes, never anything a caller sent.
 * docs/metrics.md explains them, and a test compares it with what is served.
 */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Audit } from '../privacy/audit.ts';
import { type Nodes, version } from '@clientele/directory';
import type { Admission } from '../http/admission.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import type { CheckReadiness } from './health.ts';
import { addMapMetrics, type MapSource } from './map-metrics.ts';
import { addNodeMetrics } from './node-metrics.ts';

export interface MetricsOptions {
  /** Has the route `/metrics`. */
  at: FastifyInstance;
  nodes: Nodes;
  admission: Admission;
  customers: MapSource;
  checkReadiness: CheckReadiness;
  /** The target for the memory of the process. */
  memoryBytes: number;
  tracing?: Tracing | undefined;
  audit?: Audit | undefined;
  /** How many customers this process has erased again. */
  swept: { erased: number };
}

export function addMetrics(app: FastifyInstance, options: MetricsOptions): void {
  const { at, nodes, admission } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addProcessMetrics(options.memoryBytes, registry);
  addRequestMetrics(app, admission, registry);
  addConnectionMetrics(nodes, registry);
  addMapMetrics(options.customers, registry);
  addSuppressionMetrics(options.swept, registry);
  addDatabaseMetrics(nodes, options.checkReadiness, registry);
  if (nodes.all.length > 1) addNodeMetrics(nodes, registry);
  options.tracing?.addMetrics(registry);
  options.audit?.addMetrics(registry);

  at.get('/metrics', async (_request, reply) => {
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
}

function addProcessMetrics(memoryBytes: number, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'clientele_build_info',
    help: '1, with the version of the program.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  new Gauge({
    name: 'clientele_memory_limit_bytes',
    help: 'Target for the memory of the process: CLIENTELE_MEMORY_MB.',
    registers,
  }).set(memoryBytes);
}

function addRequestMetrics(app: FastifyInstance, admission: Admission, registry: Registry): void {
  const registers = [registry];
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
  new Counter({
    name: 'clientele_refusals_total',
    help: 'Error responses by code, except those of /readyz.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, number] of app.refusals) this.inc({ code }, number);
    },
  });
}

function addSuppressionMetrics(swept: MetricsOptions['swept'], registry: Registry): void {
  new Counter({
    name: 'clientele_suppressed_customers_total',
    help: 'Customers that plain SQL had brought back after an erasure, and that this instance erased again.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(swept.erased);
    },
  });
}

function addConnectionMetrics(nodes: Nodes, registry: Registry): void {
  new Gauge({
    name: 'clientele_database_connections',
    help: 'Database connections by lane and state.',
    labelNames: ['lane', 'state', 'node'],
    registers: [registry],
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
}
