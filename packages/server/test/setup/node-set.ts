/** A primary and its streaming replicas, each behind a proxy, to be killed, frozen and promoted. */
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { migrate, readMigrations } from '@clientele/directory';
import { startPrivatePostgres, type Postgres, type PrivatePostgres } from '@clientele/sandbox';
import { FaultProxy } from '@clientele/sandbox/testing/cluster';
import { copyRunning, toConninfo } from '@clientele/sandbox/testing';
import { connectTo } from './served-list.ts';

type Settings = Record<string, string | number | boolean>;

const settings: Settings = { fsync: false, wal_keep_size: '1GB', hot_standby_feedback: false };

export class TestNode {
  readonly proxy: FaultProxy;
  readonly #postgres: Postgres;
  readonly #settings: Settings;
  #server: PrivatePostgres;

  constructor(postgres: Postgres, server: PrivatePostgres, own: Settings, proxy: FaultProxy) {
    this.#postgres = postgres;
    this.#server = server;
    this.#settings = own;
    this.proxy = proxy;
  }

  /** As an instance of the service reaches it: `host:port`. */
  get name(): string {
    return `127.0.0.1:${this.proxy.port}`;
  }

  /** Without the proxy. */
  get url(): string {
    const url = new URL(this.#server.url);
    url.pathname = '/clientele';
    return url.href;
  }

  get dataDir(): string {
    return this.#server.dataDir;
  }

  get conninfo(): string {
    return toConninfo(this.#server.url);
  }

  connect(): Promise<pg.Client> {
    return connectTo(this.url);
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** SIGKILL for every process of the server. */
  kill(): Promise<void> {
    return this.#signal('SIGKILL');
  }

  /** After `kill`. */
  async start(): Promise<void> {
    await this.#server.stop('immediate');
    const { dataDir, port } = this.#server;
    this.#server = await startPrivatePostgres({
      postgres: this.#postgres,
      dataDir,
      port,
      settings: this.#settings,
    });
  }

  freeze(): Promise<void> {
    return this.#signal('SIGSTOP');
  }

  thaw(): Promise<void> {
    return this.#signal('SIGCONT');
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 30)');
  }

  /** Streams from another node from now on. */
  async follow(primary: TestNode): Promise<void> {
    await this.query(`alter system set primary_conninfo = '${primary.conninfo}'`);
    await this.query('select pg_reload_conf()');
  }

  async stop(): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await this.thaw();
    await this.#server.stop('immediate');
  }

  /** PostgreSQL gives each process a session of its own, so they are found by their parent. */
  async #signal(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this.#server;
    const processes = [pid];
    for (const entry of await readdir('/proc')) {
      if (!/^\d+$/.test(entry)) continue;
      const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
      if (Number(/^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1]) === pid) processes.push(Number(entry));
    }
    for (const each of processes) {
      try {
        process.kill(each, signal);
      } catch {
        // It has ended.
      }
    }
  }
}

export interface NodeSet extends AsyncDisposable {
  /** The primary first. */
  nodes: TestNode[];
  /** As DATABASE_URL names them, through the proxies. */
  url: string;
}

export async function startNodeSet(postgres: Postgres, replicas = 2): Promise<NodeSet> {
  const home = await mkdtemp(join(tmpdir(), 'clientele-nodes-'));
  // When root starts them, the servers run under another account.
  await chmod(home, 0o711);
  const nodes: TestNode[] = [];
  const stop = async (): Promise<void> => {
    for (const node of nodes.toReversed()) await node.stop();
    await rm(home, { recursive: true, force: true });
  };
  const add = async (name: string, own: Settings): Promise<PrivatePostgres> => {
    const dataDir = join(home, name);
    const server = await startPrivatePostgres({ postgres, dataDir, settings: own });
    const proxy = await FaultProxy.listen(server.port);
    nodes.push(new TestNode(postgres, server, own, proxy));
    return server;
  };
  try {
    const primary = await add('primary', settings);
    const client = await connectTo(primary.url);
    await client.query(
      `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    );
    const owner = await nodes[0]!.connect();
    await migrate(owner, await readMigrations());
    await owner.end();
    for (let i = 1; i <= replicas; i += 1) {
      await copyRunning(client, primary.dataDir, join(home, `replica-${i}`));
      const conninfo = { primary_conninfo: toConninfo(primary.url) };
      await add(`replica-${i}`, {
        ...settings,
        ...conninfo,
        recovery_target_timeline: 'latest',
        wal_retrieve_retry_interval: '200ms',
      });
    }
    await client.end();
    const { username, password } = new URL(primary.url);
    const hosts = nodes.map(({ name }) => name).join(',');
    const url = `postgres://${username}:${password}@${hosts}/clientele`;
    return { nodes, url, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
