/** Connects to the primary, for commands that write. */
import pg from 'pg';
import { DatabaseUnfitError, refusalOf } from './errors.ts';
import { nodeName, nodeUrls } from '../settings/node-urls.ts';
import { timeline } from './session.ts';
import { applySessionSettings } from './session-settings.ts';

type ClientOptions = Omit<pg.ClientConfig, 'connectionString'>;

/** Long enough for any node that works; one that does not must not delay a command by more. */
const waitMs = 2_000;

/** Finds the primary among the nodes of a URL. A URL with one node is used as it is, even for a replica. */
export async function connectToPrimary(url: string, options: ClientOptions): Promise<pg.Client> {
  const urls = nodeUrls(url)!;
  if (urls.length === 1) return connect(url, options);
  const found = await Promise.allSettled(
    urls.map(async (each) => {
      const client = await connect(each, { ...options, connectionTimeoutMillis: waitMs });
      return { client, timeline: await timelineOf(client) };
    }),
  );
  const clients = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  // After a failover the old primary may not know yet that it is not the primary any more.
  const [latest, ...others] = clients.toSorted((a, b) => b.timeline - a.timeline);
  if (!latest) throw (found[0] as PromiseRejectedResult).reason;
  await Promise.all(others.map(({ client }) => client.end()));
  if (latest.timeline > 0) return latest.client;
  await latest.client.end();
  const states = found.map((each, i) => {
    return `${nodeName(urls[i]!)} ${each.status === 'fulfilled' ? 'is a replica' : describe(each.reason)}`;
  });
  throw new DatabaseUnfitError(
    `No node in DATABASE_URL is a primary: ${states.join(', ')}. If one is being promoted, try again.`,
  );
}

function describe(error: unknown): string {
  const refusal = refusalOf(error);
  return refusal === undefined
    ? 'does not respond'
    : `responds, but cannot be connected to (${refusal})`;
}

async function connect(connectionString: string, options: ClientOptions): Promise<pg.Client> {
  const client = new pg.Client({
    ...options,
    connectionString,
    // Notices that the database's machine is gone, as PostgreSQL does of ours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  await applySessionSettings(client);
  return client;
}

/** Zero for a replica. */
async function timelineOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ timeline: number }>(
    `select case when r.standby then 0 else ${timeline} end as timeline
     from (select pg_is_in_recovery() as standby) as r`,
  );
  return rows[0]!.timeline;
}
