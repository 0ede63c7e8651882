/** One place behind the balancer, in which one version after the other runs. */
import { freePort, waitUntilReady } from '@clientele/sandbox';
import type { Executable, Exit } from '../setup/executable.ts';
import type { Version } from './versions.ts';

export class Instance implements AsyncDisposable {
  readonly port: number;
  readonly #databaseUrl: string;
  readonly #spool: string;
  #running: Executable | undefined;

  private constructor(port: number, databaseUrl: string, spool: string) {
    this.port = port;
    this.#databaseUrl = databaseUrl;
    this.#spool = spool;
  }

  static async at(databaseUrl: string, spool: string): Promise<Instance> {
    return new Instance(await freePort(), databaseUrl, spool);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves with what it has logged when it is ready. */
  async start(version: Version): Promise<string> {
    const running = version.start(['serve'], {
      DATABASE_URL: this.#databaseUrl,
      PORT: String(this.port),
      CLIENTELE_AUDIT_SPOOL: this.#spool,
      CLIENTELE_RATE_READS: '0',
      CLIENTELE_RATE_SEARCHES: '0',
    });
    this.#running = running;
    await running.said(/listening at/);
    await waitUntilReady(this.url, { isRunning: () => true, timeoutMs: 30_000 });
    const { version: served } = await this.#describe();
    if (served !== version.name) throw new Error(`${served} is served instead of ${version.name}`);
    return running.output();
  }

  /** Resolves when the balancer sends it requests: only then may another instance be stopped. */
  async takesPart(): Promise<void> {
    await this.#running!.said(/"route":"\/v3\/customers/);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
    this.#running!.kill(signal);
    return this.#running!.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.[Symbol.asyncDispose]();
  }

  async #describe(): Promise<{ version: string }> {
    const response = await fetch(`${this.url}/openapi.json`);
    return ((await response.json()) as { info: { version: string } }).info;
  }
}
