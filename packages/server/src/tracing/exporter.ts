/**
 * Sends spans to the collector in batches, one at a time. Nobody waits for it: the queue is bounded, and what does
 * not fit or cannot be delivered is dropped and counted.
 */
import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import type { FastifyBaseLogger } from 'fastify';
import { type Attributes, codeOf, type Timeouts, version } from '@clientele/directory';
import type { TracingConfig } from '../settings/tracing-settings.ts';
import { toOtlp } from './otlp.ts';
import type { Span } from './span.ts';

const mostQueued = 2_048;
const batchSize = 512;
const pauseMs = 5_000;

type ExportTimeouts = Pick<Timeouts, 'export' | 'lastExport'>;

export class Exporter {
  exported = 0;
  dropped = 0;
  readonly #config: TracingConfig;
  readonly #log: FastifyBaseLogger;
  readonly #timeouts: ExportTimeouts;
  readonly #resource: Attributes;
  readonly #transport: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #giveUp = new AbortController();
  #queue: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #failing = false;
  #stopped = false;

  constructor(config: TracingConfig, log: FastifyBaseLogger, timeouts: ExportTimeouts) {
    this.#config = config;
    this.#log = log;
    this.#timeouts = timeouts;
    this.#resource = {
      'service.name': config.serviceName,
      'service.version': version,
      'service.instance.id': randomUUID(),
    };
    this.#transport = config.url.startsWith('https:') ? https : http;
    this.#agent = new this.#transport.Agent({ keepAlive: true, maxSockets: 1 });
  }

  add(span: Span): void {
    if (this.#stopped || this.#queue.length >= mostQueued) {
      this.dropped += 1;
      return;
    }
    this.#queue.push(span);
    this.#schedule();
  }

  /** Sends what is left, for a bounded time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const timer = setTimeout(() => this.#giveUp.abort(), this.#timeouts.lastExport);
    await this.#sending;
    while (this.#queue.length > 0) await this.#send();
    clearTimeout(timer);
    this.#agent.destroy();
  }

  /** At once if a batch is full. */
  #schedule(): void {
    if (this.#sending || this.#stopped || this.#queue.length === 0) return;
    if (this.#queue.length < batchSize) {
      this.#timer ??= setTimeout(() => this.#start(), pauseMs).unref();
    } else {
      this.#start();
    }
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined;
      this.#schedule();
    });
  }

  async #send(): Promise<void> {
    const batch = this.#queue.splice(0, batchSize);
    try {
      await this.#post(toOtlp(batch, this.#resource));
      this.exported += batch.length;
      if (this.#failing) this.#log.info('traces are exported again');
      this.#failing = false;
    } catch (error) {
      this.dropped += batch.length;
      const code = codeOf(error)?.replace('ABORT_ERR', 'ETIMEDOUT') ?? 'unknown';
      if (!this.#failing) this.#log.warn({ code }, 'traces cannot be exported');
      this.#failing = true;
    }
  }

  /** Rejects with a code: of the network, or the status of the response. Redirects are not followed. */
  #post(body: string): Promise<void> {
    const { url, headers } = this.#config;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options: http.RequestOptions = {
      method: 'POST',
      agent: this.#agent,
      headers: { ...headers, 'content-type': 'application/json' },
      signal: AbortSignal.any([AbortSignal.timeout(this.#timeouts.export), this.#giveUp.signal]),
    };
    const request = this.#transport.request(url, options, (response) => {
      const { statusCode = 0 } = response;
      const refusal = Object.assign(new Error('refused'), { code: `HTTP ${statusCode}` });
      const done = statusCode >= 200 && statusCode < 300;
      response.on('end', () => (done ? resolve() : reject(refusal)));
      response.on('error', reject).resume();
    });
    request.on('error', reject).end(body);
    return promise;
  }
}
