/** Writers that do to the table of customers whatever PostgreSQL allows, several at once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WireCustomer } from '@clientele/contract';
import type pg from 'pg';
import { Dice } from './dice.ts';

const names = [
  'Anna',
  'Annabel',
  'Bo',
  'Ida',
  'Lee',
  'Smith',
  'Smithson',
  'Zoë',
  "O'Brien",
  'Quixote',
];
const domains = ['gmail.example', 'gmail.example', 'acme.example', 'shop.example'];

/** Finds everyone, many, few, nobody; by one term, two, three, a phone, a letter. */
export const restlessSearches = [
  ...['', 'gmail', 'a', 'sm', 'smith', 'quixote', 'anna gmail', 'bo lee acme', '555 01', '0132'],
  ...['zzzq', 'annabel smithson'],
];

/** Instants that customers share, neighbours, and the ends of the calendar. */
const instants = [
  ...['2024-02-29T12:00:00.000Z', '2024-02-29T12:00:00.000Z', '2024-02-29T12:00:00.001Z'],
  ...['0001-01-01T00:00:00.000Z', '1901-05-05T05:05:05.005Z', '1999-12-31T23:59:59.999Z'],
  ...['9999-12-31T23:59:59.998Z', '9999-12-31T23:59:59.999Z', '5000-01-01T00:00:00.000Z'],
];

export function restlessCustomer(dice: Dice): Partial<WireCustomer> {
  const [given, family] = [dice.pick(names), dice.pick(names)];
  const rare = dice.chance(0.9) && family === 'Quixote' ? 'Smith' : family;
  return {
    uuid: dice.chance(0.2) ? `abc${randomUUID().slice(3)}` : randomUUID(),
    full_name: `${given} ${rare}`,
    email_address: `${given}.${dice.below(100)}@${dice.pick(domains)}`.replace("'", ''),
    phone_number: dice.chance(0.5) ? `+1 (415) 555-01${10 + dice.below(90)}` : null,
    company_name: dice.chance(0.3) ? 'Lee & Sons' : null,
    is_verified: dice.chance(0.5),
    total_orders: 0,
    lifetime_value_cents: 0,
    last_order_at: null,
    created_at: restlessInstant(dice),
  };
}

function restlessInstant(dice: Dice): string {
  if (dice.chance(0.4)) return new Date().toISOString();
  if (dice.chance(0.6)) return dice.pick(instants);
  return new Date(Date.UTC(1990, 0, 1) + dice.below(1_300_000_000) * 1_000).toISOString();
}

const columns = `uuid, full_name, email_address, phone_number, company_name, is_verified,
  total_orders, lifetime_value_cents, last_order_at, created_at`;
const insertion = `insert into public.customers (${columns})
  select ${columns} from jsonb_populate_recordset(null::public.customers, $1)`;
/** Rows that no other writer holds. */
const some = 'select uuid from public.customers order by random() limit $1 for update skip locked';

export async function insertRestless(client: pg.Client, dice: Dice, count: number): Promise<void> {
  const customers = Array.from({ length: count }, () => restlessCustomer(dice));
  await client.query(insertion, [JSON.stringify(customers)]);
}

export interface RestlessOptions {
  connect(): Promise<pg.Client>;
  seed: number;
  writers: number;
  /** About how many customers there shall be. */
  customers: number;
}

const deeds = [
  ...Array<'statement'>(16).fill('statement'),
  ...(['transaction', 'transaction', 'transaction', 'transaction', 'long', 'long'] as const),
  ...(['savepoints', 'savepoints', 'savepoints', 'prepare', 'prepare'] as const),
  ...(['settle', 'settle', 'settle', 'rare'] as const),
];

type Deed = (typeof deeds)[number] | 'tooMuch' | 'trim';

export class RestlessWriters {
  /** How often each thing was done. */
  readonly done: Record<string, number> = {};
  readonly #options: RestlessOptions;
  readonly #prepared: string[] = [];
  #running: Promise<void>[] = [];
  #stopping = false;
  /** When last counted. */
  #customers = 0;

  constructor(options: RestlessOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { writers, seed } = this.#options;
    this.#stopping = false;
    const clients = await Promise.all(
      Array.from({ length: writers }, () => this.#options.connect()),
    );
    // What is rare is done at least once.
    const first: Deed[][] = [['tooMuch'], ['trim'], ['prepare', 'settle']];
    this.#running = clients.map((client, i) =>
      this.#write(client, new Dice(seed + i), first[i] ?? []),
    );
    // Told by stop().
    for (const running of this.#running) running.catch(() => undefined);
  }

  /** Every transaction is over afterwards, the prepared ones too. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
    const client = await this.#options.connect();
    for (const id of this.#prepared.splice(0)) await client.query(`commit prepared '${id}'`);
    await client.end();
  }

  async #write(client: pg.Client, dice: Dice, first: Deed[]): Promise<void> {
    await client.query(`set lock_timeout = '2s'`);
    while (!this.#stopping) {
      try {
        await this[first.shift() ?? dice.pick(deeds)](client, dice);
      } catch (error) {
        // Two writers met: that is part of it.
        const code = (error as { code?: string }).code ?? '';
        if (!['40001', '40P01', '55P03', '23505'].includes(code)) throw error;
        this.#count(`failed with ${code}`);
        await client.query('rollback');
      }
    }
    await client.end();
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  /** After these, counts have to be made again. */
  async rare(client: pg.Client, dice: Dice): Promise<void> {
    const what = dice.below(10);
    if (what < 3) await this.tooMuch(client, dice);
    else if (what < 5) await this.trim(client, dice);
  }

  /** One statement, on one row or many. */
  async statement(client: pg.Client, dice: Dice): Promise<void> {
    const rows = dice.chance(0.7) ? 1 : 1 + dice.below(25);
    const crowded = await this.#isCrowded(client, dice);
    const what = dice.pick([
      'grow',
      'grow',
      'text',
      'instant',
      'uuid',
      'orders',
      'upsert',
      'merge',
    ]);
    this.#count(what);
    if (what === 'grow') {
      if (crowded)
        await client.query(`delete from public.customers where uuid in (${some})`, [rows]);
      else await insertRestless(client, dice, rows);
    } else if (what === 'upsert') await this.#upsert(client, dice, rows);
    else if (what === 'merge') await this.#merge(client, dice, rows);
    else {
      const change = {
        text: `full_name = '${dice.pick(names).replace("'", "''")} Lee', company_name = uuid::text`,
        instant: `created_at = '${restlessInstant(dice)}'`,
        uuid: 'uuid = gen_random_uuid()',
        orders: 'total_orders = total_orders + 1, last_order_at = now()',
      }[what]!;
      await client.query(`update public.customers set ${change} where uuid in (${some})`, [rows]);
    }
  }

  async #isCrowded(client: pg.Client, dice: Dice): Promise<boolean> {
    if (dice.chance(0.1)) {
      const { rows } = await client.query<{ n: number }>(
        'select count(*)::int as n from customers',
      );
      this.#customers = rows[0]!.n;
    }
    return this.#customers > this.#options.customers * (0.5 + dice.below(100) / 100);
  }

  async #upsert(client: pg.Client, dice: Dice, rows: number): Promise<void> {
    const nested = await this.#enter(client);
    const known = await client.query<{ uuid: string }>(some, [Math.ceil(rows / 2)]);
    const customers = Array.from({ length: rows }, (_, i) => ({
      ...restlessCustomer(dice),
      ...known.rows[i],
    }));
    await client.query(
      `${insertion} on conflict (uuid) do update
       set full_name = excluded.full_name, created_at = excluded.created_at`,
      [JSON.stringify(customers)],
    );
    if (!nested) await client.query('commit');
  }

  /** Inserts, updates and deletes in one statement. */
  async #merge(client: pg.Client, dice: Dice, rows: number): Promise<void> {
    const nested = await this.#enter(client);
    const known = await client.query<{ uuid: string }>(some, [2 * rows]);
    const customers = Array.from({ length: 3 * rows }, (_, i) => ({
      ...restlessCustomer(dice),
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

  /** Begins a transaction where none is under way; says whether one was. */
  async #enter(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ same: boolean }>(
      'select now() = statement_timestamp() as same',
    );
    if (rows[0]!.same) await client.query('begin');
    return !rows[0]!.same;
  }

  async #begin(client: pg.Client, dice: Dice): Promise<void> {
    await client.query(
      `begin isolation level ${dice.chance(0.2) ? 'repeatable read' : 'read committed'}`,
    );
  }

  async #end(client: pg.Client, dice: Dice): Promise<void> {
    const how = dice.chance(0.3) ? 'rollback' : 'commit';
    this.#count(how);
    await client.query(how);
  }

  async transaction(client: pg.Client, dice: Dice): Promise<void> {
    await this.#begin(client, dice);
    for (let n = 1 + dice.below(3); n > 0; n -= 1) await this.statement(client, dice);
    await this.#end(client, dice);
  }

  async savepoints(client: pg.Client, dice: Dice): Promise<void> {
    await this.#begin(client, dice);
    await this.#withSavepoints(client, dice);
    await this.#end(client, dice);
  }

  async #withSavepoints(client: pg.Client, dice: Dice): Promise<void> {
    for (let n = 1 + dice.below(3); n > 0; n -= 1) {
      await client.query('savepoint here');
      await this.statement(client, dice);
      await client.query('savepoint deeper');
      await this.statement(client, dice);
      this.#count('savepoint');
      if (dice.chance(0.3)) await client.query('rollback to deeper');
      if (dice.chance(0.3)) await client.query('rollback to here');
      else await client.query('release here');
    }
  }

  /** Stays open while the others go on. */
  async long(client: pg.Client, dice: Dice): Promise<void> {
    await this.#begin(client, dice);
    for (let n = 2 + dice.below(4); n > 0; n -= 1) {
      await this.statement(client, dice);
      await sleep(dice.below(60));
    }
    this.#count('long');
    await this.#end(client, dice);
  }

  /** Changes more than is listed. */
  async tooMuch(client: pg.Client, dice: Dice): Promise<void> {
    await this.#begin(client, dice);
    await client.query(`set local clientele.changes_limit = ${dice.below(12)}`);
    await this.#withSavepoints(client, dice);
    this.#count('too much');
    await this.#end(client, dice);
  }

  async prepare(client: pg.Client, dice: Dice): Promise<void> {
    // The cluster has twenty, for every test at once.
    if (this.#prepared.length >= 3) return;
    await this.#begin(client, dice);
    await this.#withSavepoints(client, dice);
    const id = randomUUID();
    await client.query(`prepare transaction '${id}'`);
    this.#prepared.push(id);
  }

  /** Ends a prepared transaction, in any order. */
  async settle(client: pg.Client, dice: Dice): Promise<void> {
    const [id] = this.#prepared.splice(dice.below(this.#prepared.length), 1);
    if (id === undefined) return;
    const how = dice.chance(0.3) ? 'rollback prepared' : 'commit prepared';
    this.#count(how);
    await client.query(`${how} '${id}'`);
  }

  async trim(client: pg.Client, dice: Dice): Promise<void> {
    await client.query('begin');
    if (dice.chance(0.5)) await this.statement(client, dice);
    await client.query('select clientele.trim_changes($1)', [1 + dice.below(100)]);
    if (dice.chance(0.5)) await this.statement(client, dice);
    this.#count('trim');
    await this.#end(client, dice);
  }
}
