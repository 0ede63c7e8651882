/** Exports every match of a search, or everyone, from one snapshot. */
import type { Sort } from '@clientele/contract';
import type pg from 'pg';
import { joined } from '../memory/own-buffer.ts';
import type { Filters } from './filters.ts';
import { flagConditions, matchCondition } from './match-condition.ts';
import { asParameters, isUuid, patternsOf, patternsStatement, type Patterns } from './search.ts';
import { isAscending, orderBy, orderOf } from './sort.ts';
import { wireColumns } from './to-wire.ts';
import { textColumns } from './view.ts';

export interface CustomerExport {
  /** Undefined unless requested. */
  total: number | undefined;
  /** A thousand customers at a time. Read it to the end, or call its `return`. */
  batches: AsyncGenerator<ExportedBatch>;
}

export interface ExportedBatch {
  /** As JSON. */
  customers: string[];
  /** 16 bytes for each of them. */
  shown: Buffer;
}

const batch = 1_000;

/**
 * Reads through a cursor: memory does not grow with the number of customers, and a slow reader slows the
 * database down. Any order is possible, switched on or not. The search is sent as parameters, never in the
 * text of a statement, which may be logged.
 */
export async function exportCustomers(
  client: pg.ClientBase,
  options: { search: string; filters?: Filters; sort?: Sort; count: boolean },
): Promise<CustomerExport> {
  await client.query('begin isolation level repeatable read read only');
  // Waiting for a slow reader is not idling. Plan for the whole result, not for its first rows.
  await client.query(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    set local cursor_tuple_fraction = 1;
    set local jit = off`);
  const found = await readSearch(client, options.search);
  const values = [...found.values, ...instantsOf(options.filters)];
  const condition = [
    found.condition,
    ...filterConditions(found.values.length, options.filters),
  ].join(' and ');

  let total: number | undefined;
  if (options.count) {
    const { rows } = await client.query<{ total: string }>(
      `select count(*) as total from only public.customers as c where ${condition}`,
      values,
    );
    total = Number(rows[0]!.total);
  }
  await client.query(
    `declare customers_export no scroll cursor for
     select row_to_json(w)::text as customer, uuid_send(w.uuid) as id
     from only public.customers as c, lateral (select ${wireColumns.full}) as w
     where ${condition}
     order by ${orderBy('c', orderOf(options.sort), isAscending(options.sort))}`,
    values,
  );
  return { total, batches: readBatches(client) };
}

async function* readBatches(client: pg.ClientBase): AsyncGenerator<ExportedBatch> {
  const fetch = () => {
    const fetched = client.query<{ customer: string; id: Buffer }>(
      `fetch ${batch} from customers_export`,
    );
    fetched.catch(() => undefined); // The await below throws it, when the reader is back.
    return fetched;
  };
  // The database prepares the next batch while the reader consumes this one.
  let next = fetch();
  try {
    for (;;) {
      const { rows } = await next;
      if (rows.length === 0) return;
      next = fetch();
      yield {
        customers: rows.map(({ customer }) => customer),
        shown: joined(rows.map(({ id }) => id)),
      };
    }
  } finally {
    // Nothing was written. A broken connection has been reported already.
    await next.catch(() => undefined);
    await client.query('rollback').catch(() => undefined);
  }
}

const instantsOf = ({ joinedFrom, joinedTo }: Filters = {}): string[] =>
  [joinedFrom ?? [], joinedTo ?? []].flat().map((instant) => new Date(instant).toISOString());

/** With the instants as parameters, after others. */
function filterConditions(others: number, filters: Filters = {}): string[] {
  const { joinedFrom, joinedTo } = filters;
  const instants = [joinedFrom === undefined ? [] : '>=', joinedTo === undefined ? [] : '<'].flat();
  return [
    ...flagConditions(filters, 'c'),
    ...instants.map((operator, i) => `c.created_at ${operator} $${others + i + 1}::timestamptz`),
  ];
}

/** Reads the search as the list of the service does. */
async function readSearch(client: pg.ClientBase, search: string) {
  if (isUuid(search)) return { condition: 'c.uuid = $1', values: [search] };
  if (search === '') return { condition: 'true', values: [] };
  const read = await patternsOf(search, async (text) => {
    const { rows } = await client.query<{ patterns: Patterns }>(patternsStatement.text, [text]);
    return rows[0]!.patterns;
  });
  const { count, patterns } = asParameters(read);
  return { condition: matchCondition('c', count, 1, textColumns.full.now), values: patterns };
}
