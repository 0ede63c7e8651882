/** Three PostgreSQL nodes under Patroni and etcd on the loopback address, with faults on demand. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, readMigrations } from '@clientele/directory';
import { withClient } from '../../connection.ts';
import { freePort } from '../../free-port.ts';
import { unprivilegedAccount } from '../../private-postgres/unprivileged-account.ts';
import { startKeeper, type Keeper, type Kept } from './keeper.ts';
import { PatroniNode, superuser } from './patroni-node.ts';
import type { Tools } from './tools.ts';
import { promised } from '../machine.ts';

export interface Cluster extends AsyncDisposable {
  keeper: Keeper;
  nodes: readonly PatroniNode[];
  etcd: { stop(): void; resume(): void };
  /** One URL for all nodes, through their proxies, with the rights of `serve`. */
  serveUrl: string;
  /** The owner's URL of a node, without its proxy. */
  ownerUrl(node: PatroniNode): string;
  /** The node that accepts writes. Waits for one. */
  leader(): Promise<PatroniNode>;
  replicas(): Promise<PatroniNode[]>;
  /** Resolves when one node leads and both others stream from it. */
  settled(withinMs?: number): Promise<void>;
  /** The same after a crash that Patroni may not have noticed yet. */
  settledAgain(): Promise<void>;
  /** Makes another node the leader and resolves when Patroni reports it. */
  switchover(): Promise<void>;
}

export async function startCluster(
  tools: Tools,
  { synchronous = false }: { synchronous?: boolean } = {},
): Promise<Cluster> {
  const keeper = await startKeeper();
  const nodes: PatroniNode[] = [];
  const dispose = async (): Promise<void> => {
    for (const node of nodes) await node[Symbol.asyncDispose]();
    await keeper[Symbol.asyncDispose]();
  };
  try {
    const account = await unprivilegedAccount();
    const [etcdPort, peerPort] = [await freePort(), await freePort()];
    const etcd = await startEtcd(tools, keeper, etcdPort, peerPort);
    const password = (): string => randomBytes(18).toString('base64url');
    const passwords = { superuser: password(), replication: password() };
    for (const name of ['a', 'b', 'c']) {
      const options = { name, keeper, tools, account, passwords, etcdPort, synchronous };
      nodes.push(await PatroniNode.start(options));
    }
    const ownerUrl = ({ port }: PatroniNode): string =>
      `postgres://${superuser}:${passwords.superuser}@127.0.0.1:${port}/clientele`;
    const control = clusterControl(nodes, synchronous);
    await control.settled();
    const servePassword = password();
    await prepareDatabase(await control.leader(), ownerUrl, servePassword);
    const hosts = nodes.map(({ proxy }) => `127.0.0.1:${proxy.port}`).join(',');
    return {
      keeper,
      nodes,
      etcd: {
        stop: () => void process.kill(etcd.pid, 'SIGSTOP'),
        resume: () => void process.kill(etcd.pid, 'SIGCONT'),
      },
      serveUrl: `postgres://clientele_serve:${servePassword}@${hosts}/clientele`,
      ownerUrl,
      ...control,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startEtcd(
  tools: Tools,
  keeper: Keeper,
  port: number,
  peerPort: number,
): Promise<Kept> {
  const url = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const args = [
    ...[`--data-dir=${keeper.folder}/etcd`, '--name=etcd', `--initial-cluster=etcd=${peer}`],
    ...[`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    '--unsafe-no-fsync',
    '--enable-v2',
  ];
  const etcd = await keeper.start('etcd', tools.etcd, args);
  await until('etcd is healthy', 10_000, async () => (await fetch(`${url}/health`)).ok);
  return etcd;
}

async function prepareDatabase(
  leader: PatroniNode,
  ownerUrl: (node: PatroniNode) => string,
  password: string,
): Promise<void> {
  await leader.query(
    `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`,
  );
  await withClient(ownerUrl(leader), async (client) => {
    await migrate(client, await readMigrations());
    await client.query(
      `create role clientele_serve login password '${password}' in role clientele_reader`,
    );
  });
}

function clusterControl(
  nodes: readonly PatroniNode[],
  synchronous: boolean,
): Pick<Cluster, 'leader' | 'replicas' | 'settled' | 'settledAgain' | 'switchover'> {
  const leader = async (): Promise<PatroniNode> => {
    let found: PatroniNode | undefined;
    await until('one node leads', 60_000, async () => {
      const leads = await Promise.all(nodes.map(isLeader));
      found = nodes[leads.indexOf(true)];
      return leads.filter(Boolean).length === 1;
    });
    return found!;
  };
  const isSettled = async (): Promise<boolean> => {
    const views = await Promise.all(nodes.map(readMembers));
    const right = synchronous ? 'leader,replica,sync_standby' : 'leader,replica,replica';
    if (!views.every((view) => view === right)) return false;
    const [row] = await (
      await leader()
    ).query<{ streaming: number }>(
      `select count(*)::int as streaming from pg_stat_replication
       where state = 'streaming' and pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) < 1000000`,
    );
    return row!.streaming === 2;
  };
  const settled = (withinMs = 120_000): Promise<void> =>
    until('three nodes stream', withinMs, isSettled);
  return {
    leader,
    replicas: async () => {
      const primary = await leader();
      return nodes.filter((node) => node !== primary);
    },
    settled,
    async settledAgain() {
      await until('a node is missed', 10_000, async () => !(await isSettled().catch(() => false)));
      await settled();
    },
    async switchover() {
      const from = await leader();
      const response = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from.name }),
      });
      if (!response.ok) throw new Error(`no switchover: ${await response.text()}`);
    },
  };
}

const isLeader = (node: PatroniNode): Promise<boolean> =>
  node.query<{ leads: boolean }>('select not pg_is_in_recovery() as leads').then(
    ([row]) => row!.leads,
    () => false,
  );

/** The roles of all members, as a node's Patroni sees them: `leader,replica,replica`. */
async function readMembers({ restPort }: PatroniNode): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${restPort}/cluster`);
  const { members } = (await response.json()) as { members: { role: string; state: string }[] };
  return members
    .map(({ role, state }) => (state === 'running' || state === 'streaming' ? role : state))
    .toSorted()
    .join(',');
}

/** Repeats a check, which may reject, until it holds. */
export async function until(
  what: string,
  withinMs: number,
  check: () => Promise<boolean>,
  everyMs = 200,
): Promise<void> {
  const deadline = performance.now() + promised(withinMs);
  let fault: unknown;
  while (performance.now() < deadline) {
    try {
      if (await check()) return;
      fault = undefined;
    } catch (error) {
      fault = error;
    }
    await sleep(everyMs);
  }
  throw new Error(`Not within ${withinMs / 1_000} s: ${what}`, { cause: fault });
}
