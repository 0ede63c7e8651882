/** Random statements on the table of customers, of every kind that PostgreSQL has for writing rows. */
import type pg from 'pg';
import {
  insertRandomCustomers,
  insertStatement,
  names,
  type Random,
  randomCustomer,
  randomInstant,
} from '@clientele/sandbox/testing';

/** Rows that no other writer has locked. */
const unlocked =
  'select uuid from public.customers order by random() limit $1 for update skip locked';

export class RandomStatements {
  readonly #targetCount: number;
  readonly #onRun: (kind: string) => void;
  /** As of the last count. */
  #customers = 0;

  /** Keeps the number of customers near `targetCount`; reports the kind of each statement. */
  constructor(targetCount: number, onRun: (kind: string) => void) {
    this.#targetCount = targetCount;
    this.#onRun = onRun;
  }

  /** Runs one statement, on one row or many. */
  async run(client: pg.Client, random: Random): Promise<void> {
    const rows = random.chance(0.7) ? 1 : 1 + random.below(25);
    const crowded = await this.#isCrowded(client, random);
    const kind = random.pick([
      'grow',
      'grow',
      'text',
      'instant',
      'uuid',
      'orders',
      'no orders',
      'verify',
      'move words',
      'upsert',
      'merge',
    ]);
    this.#onRun(kind);
    if (kind === 'grow') {
      if (crowded)
        await client.query(`delete from public.customers where uuid in (${unlocked})`, [rows]);
      else await insertRandomCustomers(client, random, rows);
    } else if (kind === 'upsert') await upsert(client, random, rows);
    else if (kind === 'merge') await merge(client, random, rows);
    else {
      const change = {
        text: `full_name = '${random.pick(names).replace("'", "''")} Lee', company_name = uuid::text`,
        instant: `created_at = '${randomInstant(random)}'`,
        uuid: 'uuid = gen_random_uuid()',
        orders: `total_orders = total_orders + 1, last_order_at = now(),
          lifetime_value_cents = least(lifetime_value_cents, 1000000) + ${random.below(500)}`,
        'no orders': 'total_orders = 0',
        verify: 'is_verified = not is_verified',
        // Leaves search_text as it is, if there is a phone number and no company.
        'move words': `company_name = phone_number, phone_number = company_name,
          is_verified = (random() < 0.5)`,
      }[kind]!;
      await client.query(`update public.customers set ${change} where uuid in (${unlocked})`, [
        rows,
      ]);
    }
  }

  async #isCrowded(client: pg.Client, random: Random): Promise<boolean> {
    if (random.chance(0.1)) {
      const { rows } = await client.query<{ n: number }>(
        'select count(*)::int as n from customers',
      );
      this.#customers = rows[0]!.n;
    }
    return this.#customers > this.#targetCount * (0.5 + random.below(100) / 100);
  }
}

async function upsert(client: pg.Client, random: Random, rows: number): Promise<void> {
  const nested = await beginUnlessOpen(client);
  const known = await client.query<{ uuid: string }>(unlocked, [Math.ceil(rows / 2)]);
  const customers = Array.from({ length: rows }, (_, i) => ({
    ...randomCustomer(random),
    ...known.rows[i],
  }));
  await client.query(
    `${insertStatement} on conflict (uuid) do update
     set full_name = excluded.full_name, created_at = excluded.created_at`,
    [JSON.stringify(customers)],
  );
  if (!nested) await client.query('commit');
}

/** Inserts, updates and deletes in one statement. */
async function merge(client: pg.Client, random: Random, rows: number): Promise<void> {
  const nested = await beginUnlessOpen(client);
  const known = await client.query<{ uuid: string }>(unlocked, [2 * rows]);
  const customers = Array.from({ length: 3 * rows }, (_, i) => ({
    ...randomCustomer(random),
    ...known.rows[i],
  }));
  await client.query(
    `merge into public.customers as c
     using (select * from jsonb_populate_recordset(null::public.customers, $1)) as n
     on c.uuid = n.uuid
     when matched and n.is_verified then delete
     when matched then update set email_address = n.email_address
     when not matched then insert (uuid, full_name, email_address, created_at)
       values (n.uuid, n.full_name, n.email_address, n.created_at)`,
    [JSON.stringify(customers)],
  );
  if (!nested) await client.query('commit');
}

/** Begins a transaction unless one is open; returns whether one was. */
async function beginUnlessOpen(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ same: boolean }>(
    'select now() = statement_timestamp() as same',
  );
  if (rows[0]!.same) await client.query('begin');
  return !rows[0]!.same;
}
