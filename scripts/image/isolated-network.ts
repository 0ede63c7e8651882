/**
 * A network on which containers reach a database and nothing else. There is a route to everywhere, so that an
 * attempt leaves a packet, which is counted and dropped.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, podman } from './podman.ts';

export class IsolatedNetwork implements AsyncDisposable {
  readonly #name: string;
  readonly #folder: string;
  #containers: string[] = [];
  /** Of the containers that `run` starts. They share one network namespace. */
  address = '';
  /** The process that keeps the namespace. */
  #keeper = '';

  private constructor(name: string, folder: string) {
    this.#name = name;
    this.#folder = folder;
  }

  static async create(image: string, postgres: string): Promise<IsolatedNetwork> {
    const name = `clientele-check-${process.pid}`;
    const network = new IsolatedNetwork(name, await mkdtemp(join(tmpdir(), `${name}-`)));
    try {
      await podman('network', 'create', '--disable-dns', name);
      const database = await network.#startDatabase(postgres);
      await network.#startKeeper(image, database);
      return network;
    } catch (error) {
      await network[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Options of a container on this network that gets the URL of the database in a file. */
  get options(): string[] {
    return [
      ...['--network', `container:${this.#name}-keeper`],
      ...['--env', 'DATABASE_URL_FILE=/run/secrets/database-url'],
      ...['--volume', `${this.#folder}/secrets/database-url:/run/secrets/database-url:ro`],
      ...['--volume', `${this.#folder}/data:/data:ro`],
    ];
  }

  /** A file that containers see in `/data`. */
  async addFile(name: string, content: string): Promise<void> {
    await writeFile(join(this.#folder, 'data', name), content);
  }

  /** Connections that containers opened: to the database, and packets to anywhere else. */
  async counts(): Promise<{ database: number; elsewhere: number }> {
    const { nftables } = JSON.parse(await this.#inside('nft', '-j', 'list', 'counters')) as {
      nftables: { counter?: { name: string; packets: number } }[];
    };
    const count = (name: string): number =>
      nftables.find(({ counter }) => counter?.name === name)!.counter!.packets;
    return { database: count('database'), elsewhere: count('elsewhere') };
  }

  /** Creates a container that is removed with the network. */
  async createContainer(name: string, ...options: string[]): Promise<string> {
    const full = `${this.#name}-${name}`;
    this.#containers.push(full);
    await podman('create', '--pull=never', '--name', full, ...options);
    return full;
  }

  async #startDatabase(image: string): Promise<string> {
    const password = randomBytes(16).toString('hex');
    const secrets = join(this.#folder, 'secrets');
    // As docs/how-to/container.md has it: only we can enter the folder, and containers get its files.
    await mkdir(secrets, { mode: 0o700 });
    await mkdir(join(this.#folder, 'data'), { mode: 0o755 });
    await writeFile(join(secrets, 'database-password'), password, { mode: 0o644 });
    const container = await this.createContainer(
      'database',
      ...['--network', this.#name],
      ...['--volume', `${secrets}/database-password:/run/secrets/database-password:ro`],
      ...['--env', 'POSTGRES_DB=clientele', '--env', 'POSTGRES_USER=clientele'],
      ...['--env', 'POSTGRES_PASSWORD_FILE=/run/secrets/database-password'],
      image,
    );
    await podman('start', container);
    const address = await addressOf(container);
    const url = `postgres://clientele:${password}@${address}:5432/clientele\n`;
    await writeFile(join(secrets, 'database-url'), url, { mode: 0o644 });
    return address;
  }

  async #startKeeper(image: string, database: string): Promise<void> {
    const keeper = await this.createContainer(
      'keeper',
      ...['--network', this.#name, '--entrypoint', 'node', '--no-healthcheck', image],
      ...['--eval', 'setInterval(() => undefined, 2 ** 30)'],
    );
    await podman('start', keeper);
    this.address = await addressOf(keeper);
    this.#keeper = await podman('inspect', '--format', '{{.State.Pid}}', keeper);
    const rules = join(this.#folder, 'rules.nft');
    await writeFile(rules, rulesFor(database));
    await this.#inside('nft', '--file', rules);
  }

  #inside(...args: string[]): Promise<string> {
    return command('nsenter', `--net=/proc/${this.#keeper}/ns/net`, ...args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // In this order: the keeper cannot be removed before the containers in its namespace.
    for (const container of this.#containers.toReversed()) {
      await podman('rm', '--force', '--ignore', '--volumes', '--time', '1', container);
    }
    await podman('network', 'rm', '--force', this.#name);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Responses to requests from outside, and what the kernel sends by itself, are not connections. */
const rulesFor = (database: string): string => `
table inet watch {
  counter database {}
  counter elsewhere {}
  chain output {
    type filter hook output priority 0;
    oif lo accept
    ct direction reply accept
    meta l4proto { icmp, icmpv6, igmp } accept
    ip daddr ${database} tcp dport 5432 ct state new counter name database accept
    ip daddr ${database} tcp dport 5432 accept
    counter name elsewhere drop
  }
}
`;

const addressOf = (container: string): Promise<string> =>
  podman(
    'inspect',
    '--format',
    '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
    container,
  );
