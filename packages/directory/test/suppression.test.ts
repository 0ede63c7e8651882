/** Plain SQL cannot bring an erased person back. */
import { createSecret, eraseCustomers, liftSuppressions } from '@clientele/directory';
import {
  createLoginRole,
  createTestDatabase,
  customerId as id,
  patient,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../src/db/database.ts';
import { keepSuppressed } from '../src/privacy/erasure/sweep.ts';

const secret = createSecret();
const refused = { code: '23514', message: `customer ${id(1)} was erased` };
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await insert(1, 'anna@mail.example', '+44 20 7946 0123');
  await insert(2, 'bob@mail.example', null);
});
afterEach(async () => {
  await stopSweeping?.();
  stopSweeping = undefined;
  await database[Symbol.asyncDispose]();
});
let stopSweeping: (() => Promise<void>) | undefined;

const insert = (n: number, email: string, phone: string | null) =>
  database.query(
    'insert into customers (uuid, full_name, email_address, phone_number) values ($1, $2, $3, $4)',
    [id(n), `Customer ${n}`, email, phone],
  );
const erase = async (n: number) =>
  eraseCustomers(await database.connect(), [id(n)], { reason: 'asked for it', secret });
const present = async (): Promise<string[]> =>
  (await database.query<{ uuid: string }>('select uuid from customers order by uuid')).map(
    ({ uuid }) => uuid,
  );
const queued = async (): Promise<string[]> =>
  (
    await database.query<{ uuid: string }>(
      'select uuid from clientele.unchecked_customers order by id',
    )
  ).map(({ uuid }) => uuid);

/** As an instance does it, with the role that serves. */
async function startSweeping(given = secret) {
  const reader = await createLoginRole(database, 'in role clientele_reader');
  const connections = { lookups: 1, lists: 1, searches: 1, scans: 1 };
  const served = openDatabase({ url: reader.url, connections, timeouts: patient });
  const log = {
    warn: vi.fn<(about: object, message: string) => void>(),
    error: vi.fn<(message: string) => void>(),
  };
  const stop = new AbortController();
  const tally = { erased: 0 };
  const options = {
    ...{ primary: served.writes, secret: given, log, tally, everyMs: 50, signal: stop.signal },
  };
  const running = keepSuppressed(options);
  stopSweeping = async () => {
    stop.abort();
    await running;
    await served.close();
    await reader[Symbol.asyncDispose]();
  };
  return log;
}
const swept = () =>
  vi.waitFor(async () => expect(await queued()).toEqual([]), { timeout: 300_000, interval: 50 });

describe('an erased identifier', () => {
  test.each([
    [
      'insert',
      `insert into customers (uuid, full_name, email_address) values ('${id(1)}', 'A', 'new@mail.example')`,
    ],
    [
      'upsert',
      `insert into customers (uuid, full_name, email_address) values ('${id(3)}', 'C', 'c@mail.example'), ('${id(1)}', 'A', 'a@mail.example') on conflict (uuid) do nothing`,
    ],
    ['update', `update customers set uuid = '${id(1)}' where uuid = '${id(2)}'`],
  ])('is refused by %s, with the way to lift it', async (_, statement) => {
    await erase(1);
    await expect(database.query(statement)).rejects.toMatchObject({
      ...refused,
      hint: expect.stringContaining(`clientele suppression lift ${id(1)} --reason`),
    });
    expect(await present()).toEqual([id(2)]);
  });

  test('is refused also if it was erased by SQL, without the secret', async () => {
    await database.query('select clientele.erase_customer($1)', [id(1)]);
    await expect(insert(1, 'anna@mail.example', null)).rejects.toMatchObject(refused);
  });

  test('is refused also after the secret was lost and the hashes were deleted, and others can be erased', async () => {
    await erase(1);
    const options = { reason: 'asked for it', secret: createSecret() };
    const client = await database.connect();
    await expect(eraseCustomers(client, [id(2)], options)).rejects.toThrow(/is not the secret/);
    await database.query('delete from clientele.suppressions');
    await eraseCustomers(client, [id(2)], options);
    await expect(insert(1, 'anna@mail.example', null)).rejects.toMatchObject(refused);
  });

  test('is accepted again once it is lifted', async () => {
    await erase(1);
    const client = await database.connect();
    const reason = 'wants to be a customer again';
    const lifted = await liftSuppressions(client, [{ uuid: id(1) }], { reason, secret });
    expect(lifted).toMatchObject([{ kind: 'uuid', uuid: id(1), lifted_at: null }]);
    await insert(1, 'other@mail.example', null);
    expect(await present()).toEqual([id(1), id(2)]);
  });
});

describe('the sweep', () => {
  test('erases who comes back by plain SQL under another identifier, and nobody else', async () => {
    await erase(1);
    await insert(11, 'ANNA@mail.example', null);
    await insert(12, 'new@mail.example', '020 7946 0123');
    await insert(13, 'carl@mail.example', '+1 202 555 0123');
    await database.query(
      `update customers set email_address = 'anna@mail.example' where uuid = $1`,
      [id(2)],
    );
    expect(await queued()).toEqual([id(11), id(12), id(13), id(2)]);
    const log = await startSweeping();
    await swept();
    expect(await present()).toEqual([id(13)]);
    expect(log.warn).toHaveBeenCalledWith({ customers: 3 }, expect.any(String));
    expect(
      await database.query(
        `select uuid, reason from clientele.erasures where reason = 'suppressed' order by uuid`,
      ),
    ).toEqual([id(2), id(11), id(12)].map((uuid) => ({ uuid, reason: 'suppressed' })));
    await expect(insert(11, 'anna@mail.example', null)).rejects.toMatchObject({ code: '23514' });
  });

  test('leaves a customer who had the number before, whatever else changes', async () => {
    await insert(3, 'flatmate@mail.example', '020 7946 0123');
    await erase(1);
    await database.query(
      `update customers set full_name = 'New', total_orders = 3 where uuid = $1`,
      [id(3)],
    );
    expect(await queued()).toEqual([]);
    await database.query(`update customers set phone_number = null where uuid = $1`, [id(3)]);
    await startSweeping();
    await swept();
    expect(await present()).toEqual([id(2), id(3)]);
  });

  test.each([
    ['another address', `email_address = 'new@mail.example'`],
    ['the number in another spelling', `phone_number = '+44 (0)20 7946-0123'`],
    ['the number and one more', `phone_number = '020 7946 0123 / 0161 496 0124'`],
    ['another identifier', `uuid = '${id(4)}'`],
  ])('leaves a customer who shares the number and gets %s', async (_, change) => {
    await insert(3, 'flatmate@mail.example', '020 7946 0123');
    await erase(1);
    await database.query(`update customers set ${change} where uuid = $1`, [id(3)]);
    expect(await queued()).toHaveLength(1);
    await startSweeping();
    await swept();
    expect(await present()).toHaveLength(2);
  });

  test('leaves a customer who loses the number for a moment', async () => {
    await insert(3, 'flatmate@mail.example', '020 7946 0123');
    await erase(1);
    await database.query('update customers set phone_number = null where uuid = $1', [id(3)]);
    // More than are compared at once.
    await database.query(
      `insert into customers (full_name, email_address)
       select 'Many', n || '@mail.example' from generate_series(1, 600) as n`,
    );
    await database.query(`update customers set phone_number = '02079460123' where uuid = $1`, [
      id(3),
    ]);
    await startSweeping();
    await swept();
    expect(await present()).toContain(id(3));
  });

  test('leaves customers who had the number when the person was erased, however late it looks', async () => {
    await erase(2);
    await insert(3, 'flatmate@mail.example', '020 7946 0123');
    await insert(4, 'colleague@mail.example', null);
    await database.query(`update customers set phone_number = '02079460123' where uuid = $1`, [
      id(4),
    ]);
    expect(await queued()).toEqual([id(3), id(4), id(4)]);
    await erase(1);
    await database.query(`update customers set email_address = 'c@mail.example' where uuid = $1`, [
      id(4),
    ]);
    await startSweeping();
    await swept();
    expect(await present()).toEqual([id(3), id(4)]);
  });

  test.each([
    ['in one step', [`email_address = 'anna@mail.example'`]],
    [
      'and is changed again',
      [`email_address = 'anna@mail.example'`, `email_address = 'ANNA@mail.example'`],
    ],
    ['and gets another identifier', [`email_address = 'anna@mail.example'`, `uuid = '${id(4)}'`]],
  ])(
    'erases a customer who shares the number and takes over the address %s',
    async (_, changes) => {
      await insert(3, 'flatmate@mail.example', '020 7946 0123');
      await erase(1);
      for (const change of changes) {
        await database.query(`update customers set ${change} where full_name = 'Customer 3'`);
      }
      await startSweeping();
      await swept();
      expect(await present()).toEqual([id(2)]);
    },
  );

  test('leaves a customer whose suppression was lifted', async () => {
    await erase(1);
    const reason = 'it is a switchboard';
    const client = await database.connect();
    // In another spelling than that of the erased customer.
    await liftSuppressions(client, [{ phone: '020 7946 0123' }], { reason, secret });
    await insert(11, 'new@mail.example', '+44 20 7946 0123');
    await startSweeping();
    await swept();
    expect(await present()).toEqual([id(2), id(11)]);
  });

  test.each(['+1 202 555 0147', '12025550147', '001 202-555-0147'])(
    'leaves one of two numbers whose suppression was lifted as %s, and not the other',
    async (spelling) => {
      await insert(3, 'dora@mail.example', '12025550147 / +44 20 7946 0555');
      await erase(3);
      const client = await database.connect();
      const reason = 'it is a switchboard';
      const lifted = await liftSuppressions(client, [{ phone: spelling }], { reason, secret });
      expect(lifted).toMatchObject([{ kind: 'phone', uuid: id(3) }]);
      await insert(11, 'a@mail.example', '+1 202 555 0147');
      await insert(12, 'b@mail.example', '12025550147');
      await insert(13, 'c@mail.example', '(202) 555-0147');
      await insert(14, 'd@mail.example', '020 7946 0555');
      await startSweeping();
      await swept();
      expect(await present()).toEqual([1, 2, 11, 12, 13].map(id));
    },
  );

  test('leaves one of two addresses whose suppression was lifted, and not the other', async () => {
    await insert(3, 'office@mail.example; dora@mail.example', null);
    await erase(3);
    const client = await database.connect();
    const people = [{ email: 'Office@mail.example' }];
    await liftSuppressions(client, people, { reason: 'many use it', secret });
    await insert(11, 'office@mail.example', null);
    await insert(12, 'dora@mail.example', null);
    await startSweeping();
    await swept();
    expect(await present()).toEqual([1, 2, 11].map(id));
  });

  test('compares a customer again who has changed meanwhile', async () => {
    await erase(1);
    await insert(11, 'anna@mail.example', null);
    const [queuedFirst] = await database.query<{ ids: string[] }>(
      'select array_agg(q.id) as ids from clientele.unchecked_customers as q',
    );
    const [before] = await database.query<{ version: string }>(
      'select c.xmin::text as version from customers as c where c.uuid = $1',
      [id(11)],
    );
    await database.query('update customers set total_orders = 5 where uuid = $1', [id(11)]);
    await database.query('select clientele.settle_unchecked($1, $2, $3)', [
      queuedFirst!.ids,
      [id(11)],
      [before!.version],
    ]);
    expect(await present(), 'it was not compared as it is now').toContain(id(11));
    expect(await queued()).toEqual([id(11)]);
    await startSweeping();
    await swept();
    expect(await present()).not.toContain(id(11));
  });

  test('works through more customers than it compares at once', async () => {
    await erase(1);
    await database.query(
      `insert into customers (full_name, email_address)
       select 'Many', case n when 1100 then 'anna@mail.example' else n || '@mail.example' end
       from generate_series(1, 1200) as n`,
    );
    await startSweeping();
    await swept();
    expect(await database.query('select from customers')).toHaveLength(1_200);
  });

  test('does nothing with another secret, and says so once', async () => {
    await erase(1);
    await insert(11, 'anna@mail.example', null);
    const log = await startSweeping(createSecret());
    await vi.waitFor(() => expect(log.error).toHaveBeenCalledOnce(), 60_000);
    expect(log.error.mock.calls[0]![0]).toContain('not the secret');
    expect(await present()).toEqual([id(2), id(11)]);
  });

  test('has nothing to do while nobody is suppressed', async () => {
    expect(await queued()).toEqual([]);
  });

  test('lets the role that serves erase only who is on the queue', async () => {
    await erase(1);
    await using reader = await createLoginRole(database, 'in role clientele_reader');
    const [row] = await database.query<{ version: string }>(
      'select xmin::text as version from customers where uuid = $1',
      [id(2)],
    );
    await database.query(`set role ${reader.name}`);
    await database.query('select clientele.settle_unchecked($1, $2, $3)', [
      [1],
      [id(2)],
      [row!.version],
    ]);
    await database.query('reset role');
    expect(await present()).toEqual([id(2)]);
  });
});
