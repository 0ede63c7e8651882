/** A separate database for a test file, cloned from the migrated template. */
import { randomBytes } from 'node:crypto';
import type { WireCustomer } from '@clientele/contract';
import { blankCustomer, wireFields } from '@clientele/contract/customer-fields';
import pg from 'pg';
import { inject } from 'vitest';
import { databaseUrl } from '../connection.ts';

export interface TestDatabase extends AsyncDisposable {
  /** The owner's URL. */
  url: string;
  name: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Opens another connection, which is closed with the database. */
  connect(): Promise<pg.Client>;
  insert(customers: Partial<WireCustomer>[]): Promise<void>;
}

const columns = wireFields.join(', ');

/** Pass another `template` for a database that is not migrated. */
export async function createTestDatabase(
  template: string = inject('template'),
  { locale = 'C.UTF-8', encoding = 'UTF8' } = {},
): Promise<TestDatabase> {
  const name = `clientele_test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  await admin.query(
    `create database ${name} template ${template} locale '${locale}' encoding '${encoding}'`,
  );
  // A clone has none of the privileges on its template that `migrate` has granted and revoked.
  if (template === inject('template')) {
    await admin.query(`revoke temporary on database ${name} from public`);
    await admin.query(`grant temporary on database ${name} to clientele_writer`);
  }
  const url = databaseUrl(inject('postgresUrl'), name);
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  const own = await connect();
  return {
    url,
    name,
    connect,
    async query<Row extends object>(text: string, values: unknown[] = []) {
      return (await own.query<Row>(text, values)).rows;
    },
    async insert(customers) {
      await own.query(
        `insert into customers (${columns})
         select ${columns} from jsonb_populate_recordset(null::customers, $1)`,
        [JSON.stringify(customers.map((each) => ({ ...blankCustomer, ...each })))],
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
