/** A list on a database, as an instance of the service has it, and what the table really contains. */
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { patient, queriesAtRest, sampleSearches } from '@clientele/sandbox/testing';
import type { WireCustomerList } from '@clientele/contract';
import { findPostgres, type Postgres } from '@clientele/sandbox';
import { CustomerList } from '../../src/customers/list.ts';
import { type Database, isConnectionError, openDatabase } from '@clientele/directory';
import { readTruth } from './exactness.ts';

export interface ServedList extends AsyncDisposable {
  list: CustomerList;
  database: Database;
  page(search?: string, page?: number, perPage?: number): Promise<WireCustomerList>;
  total(search?: string): Promise<number>;
}

const connections = { lookups: 1, lists: 4, searches: 2, scans: 2 };

export function serveList(url: string, overrides: Partial<typeof connections> = {}): ServedList {
  const database = openDatabase({
    url,
    connections: { ...connections, ...overrides },
    timeouts: patient,
  });
  const list = new CustomerList(database, 10_000_000);
  const read = async (search = '', page = 1, perPage = 25): Promise<WireCustomerList> => {
    const { body } = await list.page({ search, page, perPage }, AbortSignal.timeout(60_000));
    return JSON.parse(body.toString()) as WireCustomerList;
  };
  return {
    ...{ list, database, page: read },
    total: async (search) => (await read(search, 1, 1)).pagination.total,
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** Waits while the server is starting. */
export async function connectTo(url: string): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!isConnectionError(error)) throw error;
    }
  }
}

export async function countCustomers(client: Pick<pg.Client, 'query'>): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from only public.customers',
  );
  return rows[0]!.n;
}

/** The installation of the server under test. */
export async function postgresUnderTest(): Promise<Postgres> {
  const client = await connectTo(inject('postgresUrl'));
  const { rows } = await client.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  await client.end();
  const [postgres] = await findPostgres({ major: rows[0]!.major });
  return postgres!;
}

/** What differs between the list and its table while nothing is written. */
export async function differencesAtRest(served: ServedList): Promise<unknown[]> {
  const differences: unknown[] = [];
  for (const search of sampleSearches) {
    for (const query of queriesAtRest(search)) {
      const { body } = await served.list.page(query, AbortSignal.timeout(60_000));
      const { data, pagination } = JSON.parse(body.toString()) as WireCustomerList;
      const got = { total: pagination.total, uuids: data.map(({ uuid }) => uuid) };
      const truth = await served.database.lists.snapshot((run) => readTruth(run, query));
      if (!isDeepStrictEqual(got, truth)) differences.push({ query, got, truth });
    }
  }
  return differences;
}
