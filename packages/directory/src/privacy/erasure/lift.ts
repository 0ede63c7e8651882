/** Whether somebody is suppressed, and letting people be customers again. */
import type pg from 'pg';
import { recordAction } from '../../audit/command-audit.ts';
import type { Secret } from '../../settings/secret.ts';
import {
  lookupHashes,
  suppressionHashes,
  suppressionKey,
  type Identifiers,
  type SuppressionKind,
} from './hashes.ts';
import type { Ledger, LiftEntry } from './ledger.ts';
import { readPhone } from './phone.ts';
import { checkSuppressionKey } from './suppressions.ts';

export interface FoundSuppression {
  kind: SuppressionKind;
  /** Null for an identifier that was erased without the secret. */
  erasure: string | null;
  /** Of the customer that was erased. */
  uuid: string;
  erased_at: Date | null;
  reason: string | null;
  /** Null while it is suppressed. */
  lifted_at: Date | null;
  lifted_by: string | null;
  lift_reason: string | null;
}

/** What matches any of the given identifiers, lifted ones too. Newest first. */
export async function findSuppressions(
  client: pg.ClientBase,
  secret: Secret,
  people: readonly Identifiers[],
): Promise<FoundSuppression[]> {
  const key = suppressionKey(secret);
  await checkSuppressionKey(client, key);
  const { rows } = await client.query<FoundSuppression>(
    `(select distinct on (s.kind, s.erasure) s.kind, s.erasure, e.uuid, e.erased_at, e.reason,
       s.lifted_at, s.lifted_by, s.lift_reason
     from clientele.suppressions as s join clientele.erasures as e on e.id = s.erasure
     where s.hash = any ($1::bytea[])
     order by s.kind, s.erasure, s.lifted_at desc nulls first)
     union all
     select 'uuid', null, g.uuid, e.erased_at, e.reason, null, null, null
     from clientele.gone_customers as g
     left join lateral (
       select * from clientele.erasures as e where e.uuid = g.uuid order by e.erased_at desc limit 1
     ) as e on true
     where g.uuid = any ($2::uuid[]) and g.gone_at = 'infinity' and not exists (
       select from clientele.suppressions as s
       where s.hash = any ($1::bytea[]) and s.kind = 'uuid' and s.lifted_at is null
         and s.erasure in (select o.id from clientele.erasures as o where o.uuid = g.uuid)
     )
     order by erased_at desc nulls last`,
    [hashesOf(key, people), uuidsOf(people)],
  );
  return rows;
}

export interface LiftOptions {
  /** Kept forever: it must not be personal. */
  reason: string;
  secret: Secret;
  ledger?: Ledger | undefined;
  /** Whether the audit has an entry of it. */
  audited?: boolean | undefined;
}

/** Lifts what matches the given identifiers. Returns what it was. Must be called outside a transaction. */
export async function liftSuppressions(
  client: pg.ClientBase,
  people: readonly Identifiers[],
  { reason, secret, ledger, audited = true }: LiftOptions,
): Promise<FoundSuppression[]> {
  const key = suppressionKey(secret);
  const uuids = uuidsOf(people);
  await client.query('begin');
  try {
    await checkSuppressionKey(client, key);
    await storeIdentifiers(
      client,
      uuids.map((uuid) => ({ uuid, hash: suppressionHashes(key, { uuid })[0]!.hash })),
    );
    const found = await findSuppressions(client, secret, people);
    // With the time that the database keeps, which other ledgers copy.
    const { rows } = await client.query<Omit<LiftEntry, 'type' | 'reason'>>(
      `select s.hash, case s.kind when 'uuid' then s.uuid end as uuid, now()::timestamptz(3) as "liftedAt"
       from clientele.lift_suppressions($1::bytea[], $2::uuid[], $3) as s`,
      [hashesOf(key, people), uuids, reason],
    );
    const lifted = found.filter(({ lifted_at }) => lifted_at === null);
    const ids = new Set(lifted.map(({ uuid }) => uuid));
    if (audited) await recordAction(client, 'lift', [...ids]);
    // Before the commit, as erasures are: the ledger must never know less than the database.
    await ledger?.append(rows.map((row) => ({ type: 'lift', ...row, reason })));
    await client.query('commit');
    return lifted;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * Whoever was erased without the secret has no hashes. With that of the identifier, its lift is in the database like
 * any other, where every instance finds it.
 */
export async function storeIdentifiers(
  client: pg.ClientBase,
  identifiers: readonly { uuid: string; hash: Buffer }[],
): Promise<void> {
  await client.query(
    `select clientele.suppress(array_agg(e.id), array_agg(text 'uuid'), array_agg(i.hash))
     from unnest($1::uuid[], $2::bytea[]) as i(uuid, hash)
     join clientele.gone_customers as g on g.uuid = i.uuid and g.gone_at = 'infinity'
     cross join lateral (
       select e.id from clientele.erasures as e where e.uuid = i.uuid order by e.erased_at desc limit 1
     ) as e
     where not exists (select from clientele.suppressions as s where s.hash = i.hash and s.lifted_at is null)`,
    [identifiers.map(({ uuid }) => uuid), identifiers.map(({ hash }) => hash)],
  );
}

const uuidsOf = (people: readonly Identifiers[]): string[] =>
  people.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));

const hashesOf = (key: Buffer, people: readonly Identifiers[]): Buffer[] =>
  people
    .flatMap((person) => [
      ...lookupHashes(key, person),
      ...asNational(person.phone ?? '').flatMap((phone) => suppressionHashes(key, { phone })),
    ])
    .map(({ hash }) => hash);

/** A number that was erased as digits alone may have been read without its calling code, too. */
const asNational = (text: string): string[] =>
  readPhone(text)
    .filter(({ callingCode }) => callingCode !== undefined)
    .map(({ callingCode, national }) => `${callingCode}${national}`)
    .filter((digits) => readPhone(digits).length > 1)
    .map((digits) => `0${digits}`);
