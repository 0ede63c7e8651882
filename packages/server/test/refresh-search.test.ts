/** Customers from before a change of the search rules get their new text while the directory is in use. */
import type { WireCustomerList } from '@clientele/contract';
import {
  createTestDatabase,
  patient,
  type TestDatabase,
  withEarlierSearchText,
} from '@clientele/sandbox/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import {
  type ChangeOptions,
  openDatabase,
  pendingRefresh,
  prepareMasking,
  refreshSearch,
} from '@clientele/directory';

/** Every third customer has another spelling. */
const insert = (count: number): string =>
  `insert into customers (full_name, email_address, company_name)
   select case n % 3 when 0 then 'Jürgen Müller' else 'Ada Sample' end, n || '@directory.example',
     case n % 6 when 0 then 'Example B.V.' end
   from generate_series(1, ${count}) as n`;

/** With customers from before spellings, and with masking if asked. */
async function oldDatabase(count: number, masked = false): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  await withEarlierSearchText(database, async () => {
    await database.query(insert(count));
    if (masked) await prepareMasking(await database.connect());
  });
  return database;
}

const stale = async (database: TestDatabase): Promise<number> => {
  const [found] = await database.query<{ n: number }>(
    `select count(*)::int as n from customers as c
     where c.search_text <> clientele.search_text(c.full_name, c.email_address, c.company_name, c.phone_number)
       or c.name_text <> clientele.search_text(c.full_name, null, c.company_name, null)`,
  );
  return found!.n;
};

const whileFilling = (onDone: (done: number) => unknown): ChangeOptions => ({
  onProgress: (progress) => void (progress.step === 'fill' && onDone(progress.done)),
});

test('an empty directory has nothing to refresh', async () => {
  const database = await oldDatabase(0);
  expect(await pendingRefresh(await database.connect())).toBeUndefined();
});

test('totals count the stored text before, during and after it, and other customers are not written', async () => {
  const database = await oldDatabase(5_000);
  const server = openDatabase({
    url: database.url,
    connections: { lookups: 1, lists: 1, searches: 1, scans: 1 },
    timeouts: patient,
  });
  onTestFinished(() => server.close());
  const list = new CustomerList(server, 1_000_000);
  const total = async (search: string): Promise<number> => {
    const { body } = await list.page({ search, page: 1, perPage: 1 }, new AbortController().signal);
    return (JSON.parse(body.toString()) as WireCustomerList).pagination.total;
  };
  const counts = async () => [await total('mueller'), await total('bv'), await total('muller')];
  const [plain] = await database.query<{ versions: string }>(versionsOfPlain);
  expect(await counts()).toEqual([0, 0, 1_666]);
  await database.query(
    `insert into customers (full_name, email_address) values ('Müller', 'new@directory.example')`,
  );
  expect(await counts(), 'customers that are written now have their spellings').toEqual([
    1, 0, 1_667,
  ]);

  const client = await database.connect();
  const during: number[] = [];
  const refreshing = refreshSearch(
    client,
    whileFilling((done) => during.push(done)),
  );
  for (let settled = false; !settled;) {
    settled = await Promise.race([refreshing.then(() => true), total('mueller').then(() => false)]);
  }
  expect(await refreshing).toBe(1_666);
  expect(during).toEqual([2_000, 4_000, 5_001]);
  expect(await counts()).toEqual([1_667, 833, 1_667]);
  expect(await database.query<{ versions: string }>(versionsOfPlain)).toEqual([plain]);
  expect(await pendingRefresh(client)).toBeUndefined();
  expect(await refreshSearch(client), 'a second run').toBe(0);
});

const versionsOfPlain = `
  select md5(string_agg(c.uuid || c.xmin::text, '' order by c.uuid)) as versions
  from customers as c where c.full_name = 'Ada Sample'`;

test('an interrupted run is resumed where it was, and misses nobody whom others write', async () => {
  const database = await oldDatabase(9_000, true);
  const over = new AbortController();
  const writer = await database.connect();
  const writing = (async () => {
    for (let writes = 0; ; writes += 1) {
      if (over.signal.aborted) return writes;
      await writer.query(
        `update customers set total_orders = total_orders + 1
         where uuid in (select uuid from customers tablesample system (1))`,
      );
      await writer.query(
        `update customers set full_name = 'Søren', created_at = created_at - interval '1 day'
         where uuid in (select uuid from customers tablesample system (1) limit 3)`,
      );
    }
  })();
  const interrupted = await database.connect();
  await expect(
    refreshSearch(
      interrupted,
      whileFilling((done) => {
        if (done >= 4_000) void interrupted.end();
      }),
    ),
  ).rejects.toThrow('Client was closed');
  const client = await database.connect();
  const left = await pendingRefresh(client);
  expect(left?.compared).toBeGreaterThanOrEqual(4_000);

  const compared: number[] = [];
  await refreshSearch(
    client,
    whileFilling((done) => compared.push(done)),
  );
  over.abort();
  expect(await writing).toBeGreaterThan(0);
  expect(compared[0]).toBe(left!.compared + 2_000);
  expect(compared.at(-1)).toBe(9_000);
  expect(await stale(database)).toBe(0);
  expect(await database.query('select clientele.is_masking_ready() as ready')).toEqual([
    { ready: true },
  ]);
});

test('it waits while a customer is being written, and holds no other meanwhile', async () => {
  const database = await oldDatabase(100);
  const writer = await database.connect();
  await writer.query(
    `begin; update customers set total_orders = 1 where full_name = 'Jürgen Müller'
     and uuid = (select max(uuid::text)::uuid from customers where full_name = 'Jürgen Müller')`,
  );
  const refreshing = refreshSearch(await database.connect());
  await vi.waitFor(async () => {
    const [refresh] = await database.query<{ state: string; query: string }>(
      `select a.state, a.query from pg_stat_activity as a
       where a.datname = current_database() and a.query like '%nowait%' and a.pid <> pg_backend_pid()`,
    );
    expect(refresh).toMatchObject({ state: 'idle' });
  }, 300_000);
  await writer.query(`update customers set total_orders = 2; commit`);
  expect(await refreshing).toBe(33);
  expect(await stale(database)).toBe(0);
});

test('concurrent runs take turns', async () => {
  const database = await oldDatabase(3_000);
  const runs = [database.connect(), database.connect()].map(async (client) =>
    refreshSearch(await client),
  );
  expect(new Set(await Promise.all(runs))).toEqual(new Set([0, 1_000]));
});
