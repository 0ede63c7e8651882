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
  queuedAt: Date;
  /** What the customer had before the change. Null for a new one. */
  oldEmail: string | null;
  oldPhone: string | null;
  /** What the customer has now. Null if the customer is gone. */
  uuid: string | null;
  email: string | null;
  phone: string | null;
  /** Changes with every update. */
  version: string;
}

/** With all the changes of each customer, in their order. */
const queue: Statement = {
  name: 'unchecked-customers',
  text: `
    select q.id, q.queued_at as "queuedAt", q.old_email_address as "oldEmail", q.old_phone_number as "oldPhone",
      c.uuid, c.email_address as email, c.phone_number as phone, c.xmin::text as version
    from clientele.unchecked_customers as q left join public.customers as c on c.uuid = q.uuid
    where q.uuid = any (array(
      select u.uuid from clientele.unchecked_customers as u order by u.id limit ${atOnce}
    ))
    order by q.id`,
};

interface Match {
  hash: string;
  /** The erasure, and whether it is an address or a number. */
  match: string;
  erasedAt: Date;
}

const suppressed: Statement = {
  name: 'suppressed-hashes',
  text: `
    select encode(s.hash, 'hex') as hash, s.erasure || s.kind as match, e.erased_at as "erasedAt"
    from clientele.suppressions as s join clientele.erasures as e on e.id = s.erasure
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
      while ((await sweep(options, key)) >= atOnce);
    } catch (error) {
      // While the database is down or busy, requests report it. The queue waits.
      if (error instanceof SuppressionError && reported !== error.message) log.error(error.message);
      reported = error instanceof SuppressionError ? error.message : reported;
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Returns how many changes it looked at. */
async function sweep(options: SweepOptions, key: Buffer): Promise<number> {
  const { primary, log, tally, signal } = options;
  const queued = await primary.query<Queued>(queue, [], signal);
  if (queued.length === 0) return 0;
  expectKey(key, (await primary.query<SuppressedIdentifier>(identifier, [], signal))[0]);
  const found = await findReturned(options, key, queued);
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

/** Those with an address or number of an erased person that they did not have when that person was erased. */
async function findReturned(
  { primary, signal }: SweepOptions,
  key: Buffer,
  queued: readonly Queued[],
): Promise<Queued[]> {
  const hasher = new ContactHasher(key);
  const changes = queued
    .filter(({ uuid }) => uuid !== null)
    .map((change) => ({
      ...change,
      hashes: hasher.hashes(change.email, change.phone),
      oldHashes: hasher.hashes(change.oldEmail, change.oldPhone),
    }));
  const hashes = new Set(changes.flatMap((each) => [...each.hashes, ...each.oldHashes]));
  const values = [[...hashes].map((hash) => Buffer.from(hash, 'hex'))];
  const rows = await primary.query<Match>(suppressed, values, signal);
  const matches = new Map(rows.map((row) => [row.hash, row]));
  return [...Map.groupBy(changes, ({ uuid }) => uuid).values()].flatMap((ofOne) => {
    const isNew = ofOne[0]!.hashes.some((hash) => {
      const found = matches.get(hash);
      // The next change after the erasure has what the customer had at that time.
      const next = found && ofOne.find(({ queuedAt }) => queuedAt >= found.erasedAt);
      return next && !next.oldHashes.some((old) => matches.get(old)?.match === found.match);
    });
    return isNew ? ofOne.slice(0, 1) : [];
  });
}
