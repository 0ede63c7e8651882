/** Everything that the database holds about a person, for commands that run as its owner. */
import { personalFields } from '@clientele/contract/customer-fields';
import type pg from 'pg';
import { readAudit, type StoredEntry } from '../../audit/read.ts';
import { findPeople, folded } from '../erasure/find-people.ts';
import { lookupHashes } from '../erasure/hashes.ts';
import { logStates, type LogState } from './log-states.ts';

export type Asked = { uuid: string } | { email: string };

/** A row as JSON, with all its columns. */
export type Row = Record<string, unknown>;

export interface Subject {
  asked: Asked;
  /** All identifiers that the person has or had here. */
  uuids: string[];
  customers: Row[];
  /** Where the customers are in the orders of lists, once one is on. */
  places: Row[];
  /** Entries of the change log: texts before and after changes. */
  changes: Row[];
  /** Addresses and numbers before changes by SQL that are still to be compared with erased people. */
  unchecked: Row[];
  /** Deletions and erasures that keep older records from coming back. */
  tombstones: Row[];
  erasures: Row[];
  suppressions: Row[];
  /** Columns whose planner statistics have the person's text. */
  statistics: { table: string; column: string }[];
  /** Console users who sign in with the address. */
  people: Row[];
}

/** An answer that showed the person. Other customers in it are left out. */
export type Sighting = Omit<StoredEntry, 'customers'> & { uuid: string };

/** Reads from one snapshot. Without the key of the suppressions, erasures are found by identifier only. */
export async function readSubject(
  client: pg.ClientBase,
  asked: Asked,
  key: Buffer | undefined,
): Promise<Subject> {
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query(`set local timezone = 'UTC'; set local statement_timeout = 0`);
    return await readSnapshot(client, asked, key);
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

async function readSnapshot(
  client: pg.ClientBase,
  asked: Asked,
  key: Buffer | undefined,
): Promise<Subject> {
  const rows = async (statement: string, values: unknown[]): Promise<Row[]> =>
    (await client.query<{ row: Row }>(statement, values)).rows.map(({ row }) => row);
  const email = 'email' in asked ? asked.email : null;

  const named =
    'uuid' in asked
      ? [asked.uuid]
      : (await findPeople(client, { uuids: [], emails: [asked.email] })).map(({ uuid }) => uuid);
  const { states, changes } = await logStates(client, { uuids: named, email });
  const customers = await rows(
    `select to_jsonb(c) as row from only public.customers as c
     where c.uuid in (
       select unnest($1::uuid[])
       union all
       select k.uuid from unnest($2::float8[], $3::text[]) as s(place, text)
       join only public.customers as k on k.place = s.place and k.search_text = s.text
     )
     order by c.created_at, c.uuid`,
    [named, states.map(({ place }) => place), states.map(({ text }) => text)],
  );
  const emails = [...(email === null ? [] : [email]), ...texts(customers, 'email_address')];
  const hashes = key ? emails.flatMap((each) => lookupHashes(key, { email: each })) : [];
  const known = [...named, ...texts(customers, 'uuid')];
  const erasures = await rows(
    `select to_jsonb(e) as row from clientele.erasures as e
     where e.uuid = any ($1)
       or e.id in (select s.erasure from clientele.suppressions as s where s.hash = any ($2))
     order by e.erased_at`,
    [known, hashes.map(({ hash }) => hash)],
  );
  const suppressions = await rows(
    `select to_jsonb(s) as row from clientele.suppressions as s where s.erasure = any ($1)
     order by s.erasure, s.kind`,
    [texts(erasures, 'id')],
  );
  const uuids = [...new Set([...known, ...texts(erasures, 'uuid')])];
  // Also of somebody who is no customer any more, where nothing should be left.
  const places = await rows(
    `select to_jsonb(s) as row from clientele.sorted_customers as s where s.uuid = any ($1)
     order by s.uuid`,
    [uuids],
  );
  const unchecked = await rows(
    'select to_jsonb(q) as row from clientele.unchecked_customers as q where q.uuid = any ($1) order by q.id',
    [uuids],
  );
  const tombstones = await rows(
    'select to_jsonb(g) as row from clientele.gone_customers as g where g.uuid = any ($1)',
    [uuids],
  );
  const people = await rows(
    `select to_jsonb(p) as row from clientele.people as p
     where ${folded('p.account')} in (select ${folded('a')} from unnest($1::text[]) as a)`,
    [emails],
  );
  const statistics = await inStatistics(client, customers, states);
  return {
    asked,
    uuids,
    customers,
    places,
    changes,
    unchecked,
    tombstones,
    erasures,
    suppressions,
    statistics,
    people,
  };
}

/** Answers that showed one of the identifiers, newest first for each. */
export async function readSightings(
  client: pg.Client,
  uuids: readonly string[],
): Promise<Sighting[]> {
  const sightings: Sighting[] = [];
  for (const uuid of uuids) {
    for await (const entry of readAudit(client, { customer: uuid }, { newestFirst: true })) {
      const { customers: _others, ...own } = entry;
      sightings.push({ uuid, ...own });
    }
  }
  return sightings;
}

const texts = (rows: readonly Row[], column: string): string[] =>
  rows.map((row) => row[column]).filter((value) => typeof value === 'string');

const personal = [...personalFields, 'search_text', 'name_text'];

async function inStatistics(
  client: pg.ClientBase,
  customers: readonly Row[],
  states: readonly LogState[],
): Promise<Subject['statistics']> {
  const values = [
    ...personal.flatMap((column) => texts(customers, column)),
    ...states.map(({ text }) => text),
  ];
  const { rows } = await client.query<{ table: string; column: string }>(
    `select s.schemaname || '.' || s.tablename as "table", s.attname as "column" from pg_stats as s
     where s.schemaname in ('public', 'clientele')
       and (s.most_common_vals::text::text[] && $1 or s.histogram_bounds::text::text[] && $1)
     order by 1, 2`,
    [values],
  );
  return rows;
}
