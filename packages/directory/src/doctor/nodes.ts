/** Examines every node of a cluster, and whether they belong together. */
import pg from 'pg';
import { nodeName, nodeUrls } from '../settings/node-urls.ts';
import { lookStatement, toValues, type Look, type Witness } from '../db/probe.ts';
import { codeOf } from '../db/error-code.ts';
import { refusalOf } from '../db/errors.ts';
import { getTypeParser } from '../db/session.ts';
import { applySessionSettings } from '../db/session-settings.ts';
import { examine, type NamedFinding } from './examine.ts';
import { mustFix, ok, type Circumstances, type Finding } from './finding.ts';

/** `node` is set if there are several. */
export type NodeFinding = NamedFinding & { node?: string };

interface Examined {
  name: string;
  client: pg.Client;
  look: Look;
}

/** A node that cannot be examined. */
interface Absent {
  name: string;
  error: unknown;
}

export function examineNodes(
  url: string,
  circumstances: Omit<Circumstances, 'client'>,
): AsyncGenerator<NodeFinding> {
  const urls = nodeUrls(url)!;
  return urls.length === 1 ? examineOne(url, circumstances) : examineAll(urls, circumstances);
}

async function* examineAll(
  urls: string[],
  circumstances: Omit<Circumstances, 'client'>,
): AsyncGenerator<NodeFinding> {
  const nodes: Examined[] = [];
  const clients: pg.Client[] = [];
  const absent: Absent[] = [];
  try {
    for (const each of urls) {
      const name = nodeName(each);
      const client = await connect(each).catch((error: unknown) => {
        absent.push({ name, error });
      });
      if (!client) continue;
      clients.push(client);
      nodes.push({ name, client, look: await lookAt(client) });
    }
    for (const { name, client, look } of nodes) {
      for await (const finding of examine({ ...circumstances, client }, look.standby)) {
        yield { node: name, ...finding };
      }
    }
    for (const { name, error } of absent) yield { check: 'nodes', node: name, ...explain(error) };
    for (const finding of await compare(nodes, absent)) yield { check: 'nodes', ...finding };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function* examineOne(
  url: string,
  circumstances: Omit<Circumstances, 'client'>,
): AsyncGenerator<NodeFinding> {
  const client = await connect(url);
  try {
    yield* examine({ ...circumstances, client });
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'clientele doctor',
    connectionTimeoutMillis: 5_000,
    types: { getTypeParser },
  });
  client.on('error', () => undefined);
  await client.connect();
  await applySessionSettings(client);
  return client;
}

async function lookAt(client: pg.Client, witnesses: Witness[] = []): Promise<Look> {
  const { rows } = await client.query<Look>({ ...lookStatement, values: toValues(witnesses) });
  return rows[0]!;
}

const remedies: Record<string, string> = {
  '53300':
    'End some sessions, or raise max_connections, or the CONNECTION LIMIT of the role or the database.',
  '57P03': 'Wait until the node has started, and run doctor again.',
};

function explain(error: unknown): Finding {
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    return mustFix('The node does not respond.', 'Start it, or remove it from DATABASE_URL.');
  }
  return mustFix(
    `The node responds, but cannot be connected to: ${refusal}.`,
    remedies[codeOf(error) ?? ''] ??
      'Correct DATABASE_URL, or on this node the password, pg_hba.conf or the database.',
  );
}

/** As ../db/watch.ts does it, all the time. */
async function compare(
  nodes: Examined[],
  absent: Absent[],
): Promise<(Finding & { node?: string })[]> {
  const primaries = nodes.filter(({ look }) => !look.standby);
  const [primary] = primaries;
  if (!primary && absent.length > 0) {
    const names = absent.map(({ name }) => name).join(', ');
    return [
      mustFix(
        `The primary is not among the nodes that could be examined. It may be one of the others: ${names}.`,
        'Make these reachable for the doctor first. Beside a primary that runs, a promoted replica would be a second one.',
      ),
    ];
  }
  if (!primary) {
    const remedy = 'Promote a replica, or add the primary to DATABASE_URL.';
    return [mustFix('No node is a primary.', remedy)];
  }
  if (primaries.length > 1) {
    const names = primaries.map(({ name, look }) => `${name} (timeline ${look.timeline})`);
    return [
      mustFix(
        `More than one node is a primary: ${names.join(', ')}.`,
        'Keep the one with the highest timeline, and rebuild the others as its replicas.',
      ),
    ];
  }
  const witnesses = nodes.flatMap(({ look }) => look.witness ?? []);
  const { cluster, position, lacks } = await lookAt(primary.client, witnesses);
  const foreign = nodes
    .filter(
      ({ look }) =>
        look.cluster !== cluster ||
        (look.standby && look.position > position) ||
        (look.witness && lacks.includes(look.witness.nonce)),
    )
    .map(({ name }) => ({
      node: name,
      ...mustFix(
        'This replica has data that the primary does not have, so it answers nothing.',
        'Rebuild it from the primary: pg_rewind, or a new base backup.',
      ),
    }));
  if (foreign.length > 0) return foreign;
  return [ok(`The primary is ${primary.name}; replicas that belong to it: ${nodes.length - 1}.`)];
}
