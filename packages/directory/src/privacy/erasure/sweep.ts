/**
 * Erases whoever plain SQL has brought back under another identifier. Triggers queue the customers whose address or
 * number was not written by an import; every instance that has the secret works on the queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../../settings/secret.ts';
import type { Statement } from '../../db/statement.ts';
import type { Queries } from '../../db/nodes.ts';
import { ContactHasher, suppressionKey } from './hashes.ts';
import {
  expectKey,
  latestIdentifier,
  SuppressionError,
  type SuppressedIdentifier,
} from './suppressions.ts';

export interface SweepOptions {
  primary: Queries;
  secret: Secret;
  log: { warn(about: object, message: string): void; error(message: string): void };
  /** How many customers this process has erased. */
  tally: { erased: number };
  /** The pause between two looks at the queue, in milliseconds. */
  everyMs?: number;
  /** Runs until then. */
  signal: AbortSignal;
}

const atOnce = 500;

interface Queued {
  id: string;
  /** Null if the customer is gone. */
  uuid: string | null;
  email: string | null;
  phone: string | null;
  /** Changes with every update. */
  version: string;
}

const queue: Statement = {
  name: 'unchecked-customers',
  text: `
    select q.id, c.uuid, c.email_address as email, c.phone_number as phone, c.xmin::text as version
    from clientele.unchecked_customers as q left join public.customers as c on c.uuid = q.uuid
    order by q.id
    limit ${atOnce}`,
};
const suppressed: Statement = {
  name: 'suppressed-hashes',
  text: `
    select encode(s.hash, 'hex') as hash from clientele.suppressions as s
    where s.hash = any ($1::bytea[]) and s.lifted_at is null`,
};
const settle: Statement = {
  name: 'settle-unchecked',
  text: 'select clientele.settle_unchecked($1::bigint[], $2::uuid[], $3::text[]) as uuid',
};
const identifier: Statement = { name: 'suppressed-identifier', text: latestIdentifier };

export async function keepSuppressed(options: SweepOptions): Promise<void> {
  const { log, everyMs = 10_000, signal } = options;
  const key = suppressionKey(options.secret);
  let reported = '';
  while (!signal.aborted) {
    try {
      while ((await sweep(options, key)) === atOnce);
    } catch (error) {
      // While the database is down or busy, requests report it. The queue waits.
      if (error instanceof SuppressionError && reported !== error.message) log.error(error.message);
      reported = error instanceof SuppressionError ? error.message : reported;
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Returns how many customers were compared. */
async function sweep({ primary, log, tally, signal }: SweepOptions, key: Buffer): Promise<number> {
  const queued = await primary.query<Queued>(queue, [], signal);
  if (queued.length === 0) return 0;
  expectKey(key, (await primary.query<SuppressedIdentifier>(identifier, [], signal))[0]);
  const hasher = new ContactHasher(key);
  const compared = queued
    .filter(({ uuid }) => uuid !== null)
    .map(({ uuid, email, phone, version }) => {
      return { uuid, version, hashes: hasher.hashes(email, phone) };
    });
  const hashes = compared.flatMap((each) => each.hashes.map((hash) => Buffer.from(hash, 'hex')));
  const rows = await primary.query<{ hash: string }>(suppressed, [hashes], signal);
  const matches = new Set(rows.map(({ hash }) => hash));
  const found = compared.filter((each) => each.hashes.some((hash) => matches.has(hash)));
  const erased = await primary.query(
    settle,
    [
      queued.map(({ id }) => id),
      found.map(({ uuid }) => uuid),
      found.map(({ version }) => version),
    ],
    signal,
  );
  tally.erased += erased.length;
  if (erased.length > 0) {
    log.warn(
      { customers: erased.length },
      'erased customers that plain SQL had brought back: their address or number is suppressed',
    );
  }
  return queued.length;
}
