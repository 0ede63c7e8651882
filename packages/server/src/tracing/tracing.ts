/** Traces of requests and upkeep. Loaded only when tracing is on; the reasons are in docs/decisions/tracing.md. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import {
  type Attributes,
  codeOf,
  setTracer,
  type SpanKind,
  type Timeouts,
  type Tracer,
} from '@clientele/directory';
import type { TracingConfig } from '../settings/tracing-settings.ts';
import { Exporter } from './exporter.ts';
import { newTrace, parseTraceparent, Span } from './span.ts';
import { addTraceMetrics } from './trace-metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that is sampled. */
    traceId?: string;
  }
}

/** Shorter waits, in milliseconds, are not worth a span. */
const shortWaitMs = 1;

/** Probes and scrapes would be most of the traces. */
const unwatched = new Set(['/livez', '/readyz', '/metrics']);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class Tracing implements Tracer {
  readonly #ratio: number;
  readonly #exporter: Exporter;
  readonly #current = new AsyncLocalStorage<Span>();

  /** Traces the requests of the app, and whatever runs until it is closed. */
  constructor(config: TracingConfig, timeouts: Timeouts, app: FastifyInstance) {
    this.#ratio = config.ratio;
    this.#exporter = new Exporter(config, app.log, timeouts);
    setTracer(this);
    // So that all requests have the same shape.
    app.decorateRequest('traceId', undefined);
    app.addHook('onRequest', (request, reply, done) => this.#begin(request, reply, done));
    app.addHook('onClose', async () => {
      setTracer(undefined);
      await this.#exporter.stop();
    });
  }

  addMetrics(registry: Registry): void {
    addTraceMetrics(this.#exporter, registry);
  }

  span<T>(name: string, about: Attributes, work: () => Promise<T>, kind?: SpanKind): Promise<T> {
    const parent = this.#current.getStore();
    return parent ? this.#record(new Span(parent, name, about, kind), work) : work();
  }

  root<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (!this.#isChosen()) return work();
    return this.#record(new Span({ trace: newTrace() }, name, {}), work);
  }

  wait(name: string, about: Attributes, until: Promise<unknown>): void {
    const parent = this.#current.getStore();
    if (!parent) return;
    const span = new Span(parent, name, about);
    const end = (): void => {
      if (performance.now() - span.start >= shortWaitMs) this.#end(span);
    };
    until.then(end, end);
  }

  note(about: Attributes): void {
    const span = this.#current.getStore();
    if (span) span.attributes = { ...span.attributes, ...about };
  }

  #isChosen(): boolean {
    return Math.random() < this.#ratio;
  }

  #begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const parent = parseTraceparent(request.headers['traceparent']);
    if (!(parent ? parent.sampled : this.#isChosen())) return done();
    // Fastify makes a new object each time this is read.
    const { url: route } = request.routeOptions;
    if (route !== undefined && unwatched.has(route)) return done();
    const method = methods.has(request.method) ? request.method : '_OTHER';
    const span = new Span(
      parent ? { trace: newTrace(parent.traceId), id: parent.spanId } : { trace: newTrace() },
      route ? `${method} ${route}` : method,
      { 'http.request.method': method, ...(route && { 'http.route': route }) },
      2,
    );
    request.traceId = span.trace.id;
    // Unlike Fastify's hook, this also runs when the client disconnects.
    reply.raw.once('close', () => this.#finish(span, reply));
    this.#current.run(span, done);
  }

  #finish(span: Span, { statusCode, raw }: FastifyReply): void {
    const outcome = raw.writableFinished
      ? { 'http.response.status_code': statusCode }
      : { 'error.type': 'disconnected' };
    span.attributes = { ...span.attributes, ...outcome };
    span.failed = !raw.writableFinished || statusCode >= 500;
    this.#end(span);
  }

  async #record<T>(span: Span, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#current.run(span, work);
    } catch (error) {
      span.failed = true;
      // Messages quote values.
      const type = codeOf(error) ?? (error instanceof Error ? error.name : 'unknown');
      span.attributes = { ...span.attributes, 'error.type': type };
      throw error;
    } finally {
      this.#end(span);
    }
  }

  #end(span: Span): void {
    span.end = performance.now();
    this.#exporter.add(span);
  }
}
