/** What a ledger says, applied to a database that was restored from an older backup. */
import { createSecret, Ledger, liftSuppressions, reapplyLedger } from '@clientele/directory';
import {
  createTestDatabase,
  customerId as id,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeErasures } from '../src/privacy/erasure/erase.ts';

const secret = createSecret();
let database: TestDatabase;
let client: pg.Client;
let folder: TemporaryFolder;
let ledger: Ledger;
beforeEach(async () => {
  database = await createTestDatabase();
  client = await database.connect();
  folder = await temporaryFolder();
  ledger = await Ledger.open(folder.path('ledger'), secret);
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const email = 'anna@mail.example';
const insert = () =>
  client.query(
    `insert into customers (uuid, full_name, email_address, phone_number)
     values ($1, 'Anna', $2, '+44 20 7946 0123')`,
    [id(1), email],
  );
/** What a backup from before the erasures would be. */
const forget = () =>
  client.query('truncate clientele.suppressions, clientele.erasures, clientele.gone_customers');

const earlier = new Date('2024-01-01T00:00:00Z');
/** After the lift. */
const later = new Date(Date.now() + 3_600_000);

test.each([
  ['ascend', id(101), id(102)],
  ['descend', id(102), id(101)],
])(
  'who was erased again after a lift stays erased, if the identifiers of the erasures %s',
  async (_, first, second) => {
    const erase = (erasureId: string, erasedAt: Date) => {
      const erasure = { id: erasureId, uuid: id(1), reason: 'asked', erasedAt };
      return makeErasures(client, [erasure], { secret, ledger });
    };
    const suppressions = async () =>
      (
        await client.query(
          `select distinct s.erasure, s.lifted_at is null as "inForce", g.uuid as gone
           from clientele.suppressions as s, clientele.gone_customers as g`,
        )
      ).rows;
    const inForce = [{ erasure: second, inForce: true, gone: id(1) }];

    await insert();
    await erase(first, earlier);
    const people = [{ uuid: id(1), email, phone: '+44 20 7946 0123' }];
    await liftSuppressions(client, people, { reason: 'is back', secret, ledger });
    await insert();
    await erase(second, later);
    expect(await suppressions()).toEqual(inForce);

    await forget();
    await insert();
    expect(await reapplyLedger(client, { ledger, secret })).toEqual({
      ...{ erasures: 2, erased: 1, pending: 0, lifted: 0 },
    });
    expect(await suppressions()).toEqual(inForce);
  },
);

test('an earlier erasure that is made again leaves the suppressions of a later one', async () => {
  const erasure = { uuid: id(1), reason: 'asked' };
  await insert();
  await makeErasures(client, [{ ...erasure, id: id(102), erasedAt: later }], { secret });
  const before = (await client.query('select s.hash, s.erasure from clientele.suppressions as s'))
    .rows;
  await makeErasures(client, [{ ...erasure, id: id(101), erasedAt: earlier }], { secret });
  const after = await client.query('select s.hash, s.erasure from clientele.suppressions as s');
  expect(after.rows).toEqual(before);
});
