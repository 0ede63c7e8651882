/** The erasures that the database knows. */
import type { RunStatement, Statement } from '../../db/statement.ts';
import type { ErasureEntry, LiftEntry, SuppressedHash } from './ledger.ts';

export interface StoredErasure {
  id: string;
  uuid: string;
  erasedAt: Date;
}

/** Rows that one statement reads, or values that it is given. */
const batchSize = 5_000;

const versionStatement: Statement = {
  name: 'erasures-version',
  text: `select concat_ws(' ',
           (select bit_xor(hashtextextended(e.id::text, 0)) from clientele.erasures as e),
           (select bit_xor(hashtextextended(concat(s.hash, s.lifted_at), 0))
            from clientele.suppressions as s where s.lifted_at is not null)) as version`,
};

/** Differs after an erasure, a lift, or a restore of others. */
export async function readVersion(run: RunStatement): Promise<string> {
  const [row] = await run<{ version: string }>(versionStatement, []);
  return row!.version;
}

const erasuresStatement: Statement = {
  name: 'stored-erasures',
  text: `select e.id, e.uuid, e.erased_at as "erasedAt" from clientele.erasures as e
         where e.id > $1 order by e.id limit ${batchSize}`,
};

export async function readErasures(run: RunStatement): Promise<StoredErasure[]> {
  const found: StoredErasure[] = [];
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await run<StoredErasure>(erasuresStatement, [last]);
    found.push(...rows);
    if (rows.length < batchSize) return found;
    last = rows.at(-1)!.id;
  }
}

const entriesStatement: Statement = {
  name: 'erasure-entries',
  text: `select e.id, e.uuid, e.erased_at as "erasedAt", e.reason,
           array(select s.kind from clientele.suppressions as s where s.erasure = e.id order by s.hash) as kinds,
           array(select s.hash from clientele.suppressions as s where s.erasure = e.id order by s.hash) as hashes
         from clientele.erasures as e where e.id = any ($1::uuid[]) order by e.erased_at, e.id`,
};

interface EntryRow extends StoredErasure {
  reason: string | null;
  kinds: SuppressedHash['kind'][];
  hashes: Buffer[];
}

/** These erasures as the ledger has them, oldest first. */
export async function readEntries(
  run: RunStatement,
  ids: readonly string[],
): Promise<ErasureEntry[]> {
  const rows = await inBatches(ids, (some) => run<EntryRow>(entriesStatement, [some]));
  return rows.map(({ id, uuid, erasedAt, reason, kinds, hashes }) => ({
    ...{ type: 'erasure', id, uuid, erasedAt, reason },
    hashes: hashes.map((hash, i) => ({ kind: kinds[i]!, hash })),
  }));
}

const liftsStatement: Statement = {
  name: 'lifts',
  text: `select s.hash, case s.kind when 'uuid' then e.uuid end as uuid, s.lifted_at as "liftedAt",
           s.lift_reason as reason
         from clientele.suppressions as s join clientele.erasures as e on e.id = s.erasure
         where s.lifted_at is not null order by s.lifted_at, s.hash`,
};

export async function readLifts(run: RunStatement): Promise<LiftEntry[]> {
  const rows = await run<Omit<LiftEntry, 'type'>>(liftsStatement, []);
  return rows.map((row) => ({ type: 'lift', ...row }));
}

const presentStatement: Statement = {
  name: 'present',
  text: 'select c.uuid from only public.customers as c where c.uuid = any ($1::uuid[])',
};

/** Those who are in the directory. */
export async function readPresent(
  run: RunStatement,
  uuids: readonly string[],
): Promise<Set<string>> {
  const rows = await inBatches(uuids, (some) => run<{ uuid: string }>(presentStatement, [some]));
  return new Set(rows.map(({ uuid }) => uuid));
}

async function inBatches<T>(
  values: readonly string[],
  read: (some: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (let i = 0; i < values.length; i += batchSize) {
    found.push(...(await read(values.slice(i, i + batchSize))));
  }
  return found;
}
