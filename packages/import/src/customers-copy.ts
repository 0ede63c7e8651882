/**
 * Temporary copies of the customers that a file names, for checks. The statements of the import run on them,
 * so a check counts exactly what the import would, while the directory is neither written nor locked.
 */
import type pg from 'pg';
import { columns } from './fields.ts';

const names = columns.join(', ');

const create = `
  create temp table customers (like public.customers including defaults including constraints);
  alter table pg_temp.customers
    drop column search_text, drop column place, add primary key (uuid);
  create temp table gone_customers (like clientele.gone_customers including indexes)`;

/** Customers are copied when a batch mentions them for the first time. */
const load = `
  insert into pg_temp.customers (${names})
  select ${columns.map((column) => `c.${column}`).join(', ')}
  from (select distinct i.uuid from pg_temp.incoming as i) as staged
  join public.customers as c on c.uuid = staged.uuid
  on conflict (uuid) do nothing;
  insert into pg_temp.gone_customers
  select g.*
  from (select distinct i.uuid from pg_temp.incoming as i) as staged
  join clientele.gone_customers as g on g.uuid = staged.uuid
  on conflict (uuid) do nothing`;

export class CustomersCopy {
  readonly #client: pg.Client;
  /** Runs statements on the copies. */
  readonly client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
    this.client = onCopies(client);
  }

  static async create(client: pg.Client): Promise<CustomersCopy> {
    await client.query(create);
    return new CustomersCopy(client);
  }

  /** Copies the customers of the staged records. */
  async loadStaged(): Promise<void> {
    await this.#client.query(load);
  }
}

/** Statements name their tables in full; here they get the names of the copies. */
function onCopies(client: pg.Client): pg.Client {
  const query = (first: unknown, ...rest: unknown[]): unknown => {
    const statement =
      typeof first === 'string'
        ? first
            .replaceAll('public.customers', 'pg_temp.customers')
            .replaceAll('clientele.gone_customers', 'pg_temp.gone_customers')
        : first;
    return (client.query as (...args: unknown[]) => unknown).call(client, statement, ...rest);
  };
  return { query } as unknown as pg.Client;
}
