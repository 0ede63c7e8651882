/** One node: a Patroni agent, the PostgreSQL it manages, and the proxy through which instances reach it. */
import { readdir, readFile, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../free-port.ts';
import { giveTo, type Account } from '../../private-postgres/unprivileged-account.ts';
import { FaultProxy } from './fault-proxy.ts';
import type { Keeper, Kept } from './keeper.ts';
import type { Tools } from './tools.ts';

export interface Passwords {
  superuser: string;
  replication: string;
}

export interface NodeOptions {
  name: string;
  keeper: Keeper;
  tools: Tools;
  account: Account | undefined;
  passwords: Passwords;
  etcdPort: number;
  synchronous: boolean;
}

export const superuser = 'clientele_admin';

export class PatroniNode implements AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly proxy: FaultProxy;
  readonly restPort: number;
  readonly #options: NodeOptions;
  #agent: Kept | undefined;
  #frozen: number[] = [];

  private constructor(options: NodeOptions, port: number, restPort: number, proxy: FaultProxy) {
    this.#options = options;
    this.name = options.name;
    this.port = port;
    this.restPort = restPort;
    this.proxy = proxy;
  }

  static async start(options: NodeOptions): Promise<PatroniNode> {
    const port = await freePort();
    const proxy = await FaultProxy.listen(port);
    const node = new PatroniNode(options, port, await freePort(), proxy);
    const { keeper, name, account } = options;
    await mkdir(node.#path(''), { mode: 0o700 });
    // JSON is YAML.
    await writeFile(node.#path('patroni.yml'), JSON.stringify(node.#config()), { mode: 0o600 });
    if (account) await giveTo(account, join(keeper.folder, name));
    await node.startAgent();
    return node;
  }

  #path(name: string): string {
    return join(this.#options.keeper.folder, this.name, name);
  }

  /** Starts Patroni, which starts PostgreSQL. */
  async startAgent(): Promise<void> {
    const { keeper, tools, account } = this.#options;
    const args = [this.#path('patroni.yml')];
    this.#agent = await keeper.start(this.name, tools.patroni, args, account);
  }

  /** Runs a statement as the superuser, without the proxy. Rejects within two seconds if the node is down. */
  async query<Row extends object>(
    text: string,
    values: unknown[] = [],
    database = 'postgres',
  ): Promise<Row[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: superuser,
      password: this.#options.passwords.superuser,
      database,
      connectionTimeoutMillis: 1_000,
      query_timeout: 2_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  /** Kills PostgreSQL. Patroni is still running and decides what to do. */
  async killPostgres(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGKILL');
  }

  /** Kills PostgreSQL and Patroni, as a crash of the machine does. */
  async crash(): Promise<void> {
    const postmaster = await this.#postmaster();
    process.kill(this.#agent!.pid, 'SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await this.#agent!.ended;
  }

  /** The machine is lost: it crashes, and packets to it get no answer. */
  async lose(): Promise<void> {
    this.proxy.set({ kind: 'silence' });
    await this.crash();
  }

  /** The lost machine returns: old connections are reset, and Patroni starts. */
  async bringBack(): Promise<void> {
    this.proxy.reset();
    this.proxy.set({ kind: 'none' });
    await this.startAgent();
  }

  /** Stops every process of the node where it is, as a paused virtual machine does. */
  async freeze(): Promise<void> {
    const postmaster = await this.#postmaster();
    this.#frozen = [this.#agent!.pid, postmaster];
    for (const pid of this.#frozen) process.kill(pid, 'SIGSTOP');
    const backends = await childrenOf(postmaster);
    for (const pid of backends) signal(pid, 'SIGSTOP');
    this.#frozen.push(...backends);
  }

  /** Continues after `freeze` or `pauseReplay`. */
  thaw(): void {
    for (const pid of this.#frozen.splice(0)) signal(pid, 'SIGCONT');
  }

  /** Stops the replay of a standby, which continues to answer. Patroni undoes any other way. */
  async pauseReplay(): Promise<void> {
    const children = await childrenOf(await this.#postmaster());
    const titles = await Promise.all(
      children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    const replay = children.filter((_, i) => /^postgres: .*\bstartup\b/.test(titles[i]!));
    if (replay.length !== 1) throw new Error(`${this.name} replays nothing`);
    this.#frozen = replay;
    signal(replay[0]!, 'SIGSTOP');
  }

  async #postmaster(): Promise<number> {
    return Number((await readFile(this.#path('data/postmaster.pid'), 'utf8')).split('\n')[0]);
  }

  #config(): object {
    const { tools, passwords, etcdPort, synchronous } = this.#options;
    const rest = `127.0.0.1:${this.restPort}`;
    const address = `127.0.0.1:${this.port}`;
    const accounts = {
      superuser: { username: superuser, password: passwords.superuser },
      replication: { username: 'replicator', password: passwords.replication },
    };
    return {
      scope: 'clientele',
      name: this.name,
      restapi: { listen: rest, connect_address: rest },
      // Not etcd3: with it, Patroni 3.0.2 writes the leader's key without comparing it, so that a leader which
      // was frozen takes the lead back from its successor, and acknowledged writes are lost.
      etcd: { hosts: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 1,
          retry_timeout: 3,
          // A primary that crashed is replaced at once instead of restarted.
          primary_start_timeout: 0,
          failsafe_mode: true,
          synchronous_mode: synchronous,
          maximum_lag_on_failover: 16_777_216,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters },
        },
        initdb: [
          { encoding: 'UTF8' },
          { locale: 'C.UTF-8' },
          { 'auth-host': 'scram-sha-256' },
          'no-sync',
        ],
      },
      postgresql: {
        listen: address,
        connect_address: address,
        data_dir: this.#path('data'),
        bin_dir: tools.postgres.binDir,
        pgpass: this.#path('pgpass'),
        authentication: accounts,
        basebackup: [{ checkpoint: 'fast' }, 'no-sync'],
        pg_hba: [
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication replicator 127.0.0.1/32 scram-sha-256',
        ],
        parameters: { unix_socket_directories: '', shared_buffers: '32MB' },
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.proxy[Symbol.asyncDispose]();
  }
}

const parameters = {
  // Faults here end processes and never the machine, so nothing that was written is lost.
  fsync: 'off',
  max_connections: 100,
  wal_keep_size: '256MB',
  wal_log_hints: 'on',
  // Bind values and the DETAIL of constraint violations can contain personal data.
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_error_verbosity: 'terse',
};

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The command's name is in parentheses and may contain spaces.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
    }),
  );
  return pids.filter((_, i) => found[i]).map(Number);
}
