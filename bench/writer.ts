/** Writers that change customers at a steady rate until they are stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { customerAt } from '@clientele/sandbox/generator';
import pg from 'pg';

/** Writes one row, in its own transaction, like an application. */
type Write = (client: pg.Client, n: number) => Promise<unknown>;

/** Changes searchable text. The order of the list does not change. */
export function writeEverySecond(url: string, changes: number) {
  return startWriter(url, changes, { connections: 1, prepare: changeCompanies });
}

/** Inserts new customers, which moves every page. `stop` deletes them again. */
export function insertEverySecond(url: string, inserts: number) {
  const inserted: string[] = [];
  return startWriter(url, inserts, {
    prepare: async () => (client) => insertCustomer(client, inserted),
    cleanUp: async (client) => {
      // In pieces that are listed in the log, so that no search has to be counted again.
      while (inserted.length > 0) await deleteCustomers(client, inserted.splice(0, 1_000));
      // Replaces autovacuum, which is off.
      await client.query('vacuum customers');
    },
  });
}

/** Half are changes of searchable text, a quarter inserts, and a quarter deletes those inserted. */
export function mixEverySecond(url: string, rows: number) {
  const inserted: string[] = [];
  return startWriter(url, rows, {
    prepare: async (client) => {
      const change = await changeCompanies(client);
      return (client, n) => {
        if (n % 2 === 0) return change(client, n);
        return n % 4 === 1
          ? insertCustomer(client, inserted)
          : deleteCustomers(client, inserted.splice(0, 1));
      };
    },
    cleanUp: (client) => deleteCustomers(client, inserted),
  });
}

async function changeCompanies(client: pg.Client): Promise<Write> {
  const { rows } = await client.query<{ uuid: string }>(
    'select uuid from customers tablesample system (1) limit 5000',
  );
  return (client, n) =>
    client.query(`update customers set company_name = 'Changed ' || $2::text where uuid = $1`, [
      rows[n % rows.length]!.uuid,
      n,
    ]);
}

/** A seed that no data set uses. */
const newcomers = 2;
let newcomer = 0;

async function insertCustomer(client: pg.Client, inserted: string[]): Promise<void> {
  const customer = customerAt(newcomers, newcomer++);
  const { rows } = await client.query<{ uuid: string }>(
    `insert into customers (full_name, email_address, phone_number, company_name)
     values ($1, $2, $3, $4) returning uuid`,
    [customer.full_name, customer.email_address, customer.phone_number, customer.company_name],
  );
  inserted.push(rows[0]!.uuid);
}

const deleteCustomers = (client: pg.Client, ids: string[]): Promise<unknown> =>
  client.query('delete from customers where uuid = any ($1)', [ids]);

interface WriterOptions {
  /** With four, the rate is reached even if each row takes several milliseconds. */
  connections?: number;
  prepare: (client: pg.Client) => Promise<Write>;
  cleanUp?: (client: pg.Client) => Promise<unknown>;
}

async function startWriter(
  url: string,
  perSecond: number,
  { connections = 4, prepare, cleanUp }: WriterOptions,
) {
  const clients = Array.from({ length: connections }, () => new pg.Client(url));
  await Promise.all(clients.map((client) => client.connect()));
  const write = await prepare(clients[0]!);
  const writer = { on: true };
  let started = 0;
  const first = Promise.withResolvers<void>();
  const start = performance.now();
  const work = Promise.all(
    clients.map(async (client) => {
      while (writer.on) {
        const n = started++;
        const ahead = (n / perSecond) * 1_000 - (performance.now() - start);
        if (ahead > 1) await sleep(ahead);
        await write(client, n);
        if (n === 50) first.resolve();
      }
    }),
  );
  // A writer that fails ends the measurement.
  work.catch(first.reject);
  return {
    writing: first.promise,
    /** Returns the rows per second that were written. */
    async stop() {
      writer.on = false;
      await work;
      const rate = started / ((performance.now() - start) / 1_000);
      await cleanUp?.(clients[0]!);
      await Promise.all(clients.map((client) => client.end()));
      return rate;
    },
  };
}
