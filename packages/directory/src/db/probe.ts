/** Looks at one node, over a connection of its own. */
import pg from 'pg';
import type { Timeouts } from '../settings/timeouts.ts';
import { QueryTimeoutError } from './errors.ts';
import type { Login } from './login.ts';
import type { Node } from './node.ts';
import { runOn } from './prepared-statements.ts';
import {
  destroy,
  getTypeParser,
  inTimeToConnect,
  readerRole,
  timeline,
  withSettings,
} from './session.ts';
import { takeSession, type SessionSettings } from './take-session.ts';

export interface Look {
  standby: boolean;
  /** How far the log was written, on a primary, or replayed, on a standby. In bytes. */
  position: number;
  /** Every promotion starts a new one. Zero on a standby, which does not know its own at once. */
  timeline: number;
  /** The same on a primary and its physical replicas. */
  cluster: string;
  /** Changes with every start of the server. */
  run: string;
  /** A recent entry of the change log, which whoever shares this history sees or has seen. */
  witness: Witness | null;
  /** On a primary: the nonces of the witnesses it was asked about that it should see and does not. */
  lacks: string[];
}

export interface Witness {
  xid: string;
  nonce: string;
}

/**
 * $1 and $2: the transactions and nonces of witnesses. One whose transaction has not ended here, or whose
 * entry has been trimmed, proves nothing. Positions are int8.
 */
export const lookStatement = {
  name: 'look',
  text: `
    select r.standby,
      coalesce(case when r.standby then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
        - '0/0'::pg_lsn, 0)::int8 as position,
      case when r.standby then 0 else ${timeline} end as timeline,
      c.system_identifier::text as cluster,
      pg_postmaster_start_time()::text as run,
      (
        select json_build_object('xid', e.xid::text, 'nonce', e.nonce)
        from clientele.changes as e
        where e.xid >= h.xid
        order by e.xid desc
        limit 1
      ) as witness,
      case when r.standby then '{}' else array(
        select w.nonce::text
        from unnest($1::text[]::xid8[], $2::uuid[]) as w (xid, nonce)
        where w.xid >= h.xid and pg_visible_in_snapshot(w.xid, pg_current_snapshot())
          and not exists (
            select from clientele.changes as e where e.xid = w.xid and e.nonce = w.nonce
          )
      ) end as lacks
    from (select pg_is_in_recovery() as standby) as r, pg_control_system() as c,
      clientele.changes_horizon as h`,
};

export class Probe {
  #url: string;
  readonly #login: Login | undefined;
  readonly #timeouts: Timeouts;
  readonly #settings: SessionSettings;
  #client: pg.Client | undefined;

  constructor({ url, login, timeouts }: Pick<Node, 'url' | 'login' | 'timeouts'>) {
    this.#login = login;
    this.#timeouts = timeouts;
    this.#settings = {
      role: readerRole,
      default_transaction_read_only: 'on',
      statement_timeout: String(timeouts.lookup),
    };
    this.#url = withSettings(url, this.#settings);
  }

  /** Rejects when the node does not respond in time. The next look then connects again. */
  async look(witnesses: Witness[]): Promise<Look> {
    try {
      this.#client ??= await connect(this.#url, this.#settings, this.#timeouts);
      const query = runOn(this.#client)<Look>(lookStatement, toValues(witnesses));
      const [found] = await inTime(query, this.#timeouts.probe);
      return found!;
    } catch (error) {
      this.close();
      this.#url = this.#login?.after(error, this.#url) ?? this.#url;
      throw error;
    }
  }

  close(): void {
    if (this.#client) destroy(this.#client);
    this.#client = undefined;
  }
}

export const toValues = (witnesses: Witness[]): unknown[] => [
  witnesses.map(({ xid }) => xid),
  witnesses.map(({ nonce }) => nonce),
];

async function connect(
  connectionString: string,
  settings: SessionSettings,
  timeouts: Timeouts,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'clientele probe',
    connectionTimeoutMillis: timeouts.connect,
    keepAlive: true,
    types: { getTypeParser },
  });
  // The next look fails, and says so.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await inTimeToConnect(client, timeouts, () => takeSession(client, settings));
  } catch (error) {
    destroy(client);
    throw error;
  }
  return client;
}

function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new QueryTimeoutError());
    // If this process was busy, the response may have arrived: sockets are read before the second turn.
    const timer = setTimeout(() => setImmediate(() => setImmediate(late)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
