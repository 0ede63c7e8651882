/** The ledger of an instance, compared with a real database. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createTestDatabase,
  patient,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import {
  createSecretFile,
  DatabaseUnfitError,
  eraseCustomers,
  type ErasureEntry,
  examine,
  Ledger,
  liftSuppressions,
  Nodes,
  readConnections,
  readSecretFile,
  reapplyLedger,
  type Secret,
  uuidBytes,
} from '@clientele/directory';
import { readConfig } from '../src/settings/config.ts';
import { LedgerKeeper } from '../src/privacy/ledger-keeper.ts';
import { ProblemError } from '../src/http/problems.ts';

const anna = '00000000-0000-4000-8000-000000000001';
const ben = '00000000-0000-4000-8000-000000000002';

let database: TestDatabase;
let folder: TemporaryFolder;
let client: pg.Client;
let nodes: Nodes;
let secret: Secret;
let ledger: Ledger;
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await temporaryFolder();
  client = await database.connect();
  nodes = new Nodes(readConfig({ DATABASE_URL: database.url }, patient));
  await createSecretFile(folder.path('secret'));
  secret = await readSecretFile(folder.path('secret'));
  ledger = await Ledger.open(folder.path('ledger'), secret);
  await insert(anna);
  await insert(ben);
});
afterEach(async () => {
  await nodes.close();
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** As a restore writes: without triggers. */
async function insert(uuid: string): Promise<void> {
  await client.query(
    `begin; set local session_replication_role = replica;
     insert into customers (uuid, full_name, email_address)
     values ('${uuid}', 'Somebody Example', '${uuid}@acme.example');
     commit`,
  );
}

const openKeeper = (lagMs = 0, to = ledger) => new LedgerKeeper(to, nodes, { lagMs });
const erase = (uuid: string, to?: Ledger) =>
  eraseCustomers(client, [uuid], { reason: 'asked', secret, ledger: to });
const lift = (uuid: string) =>
  liftSuppressions(client, [{ uuid }], { reason: 'asked', secret, ledger });
const reapply = () => reapplyLedger(client, { ledger, secret });
const missing = new ProblemError('erasures-missing');
/** What a backup from before the erasures would be. */
const forget = () =>
  client.query('truncate clientele.suppressions, clientele.erasures, clientele.gone_customers');

const entryOf = (uuid: string, erasedAt = new Date()): ErasureEntry => ({
  ...{ type: 'erasure', id: randomUUID(), uuid, erasedAt, reason: 'asked', hashes: [] },
});

test('erasures and lifts that the file lacks are copied, with their hashes, once', async () => {
  const other = await Ledger.open(folder.path('other'), secret);
  await erase(anna, other);
  const keeper = openKeeper();
  await keeper.start();
  const [copied] = await ledger.read();
  const [original] = (await other.read()) as ErasureEntry[];
  const sorted = ({ hashes, ...rest }: ErasureEntry) => ({
    ...rest,
    hashes: hashes.toSorted((a, b) => a.hash.compare(b.hash)),
  });
  expect(sorted(copied as ErasureEntry)).toEqual(sorted(original!));

  const { hash } = original!.hashes.find(({ kind }) => kind === 'uuid')!;
  await client.query('select clientele.lift_suppressions($1, $2, $3)', [[hash], [anna], 'asked']);
  await keeper.start();
  await keeper.start();
  expect(await ledger.read()).toMatchObject([
    { type: 'erasure', uuid: anna },
    { type: 'lift', hash, reason: 'asked' },
  ]);
});

test('somebody who was erased is not shown, and nobody is while their row is back', async () => {
  const keeper = openKeeper();
  await keeper.start();
  await erase(anna);
  await keeper.start();
  await keeper.expectNobodyErased(uuidBytes(ben));
  // The row is gone: an answer that was on its way is refused, and no other.
  await expect(keeper.expectNobodyErased(uuidBytes(anna))).rejects.toThrow(missing);
  keeper.expectComplete();

  await insert(anna);
  const page = Buffer.concat([ben, anna].map(uuidBytes));
  await expect(keeper.expectNobodyErased(page)).rejects.toThrow(missing);
  expect(() => keeper.expectComplete()).toThrow(missing);
  await expect(openKeeper().start(), 'another instance').rejects.toThrow(DatabaseUnfitError);

  expect(await reapply()).toEqual({ erasures: 0, erased: 1, pending: 0, lifted: 0 });
  expect(await keeper.start()).toBe(true);
  keeper.expectComplete();
});

test('somebody whose identifier was lifted is shown', async () => {
  const keeper = openKeeper();
  await keeper.start();
  await erase(anna);
  await keeper.start();
  await client.query(
    `select clientele.lift_suppressions(array(select hash from clientele.suppressions), $1, 'asked')`,
    [[anna]],
  );
  await insert(anna);
  await expect(keeper.expectNobodyErased(uuidBytes(anna))).resolves.toBeUndefined();
  keeper.expectComplete();
});

test('somebody is shown whose identifier was erased without the secret and lifted, every time', async () => {
  const keepers = [openKeeper(), openKeeper(0, await Ledger.open(folder.path('other'), secret))];
  for (const keeper of keepers) await keeper.start();
  for (const time of ['once', 'twice']) {
    await client.query('select clientele.erase_customer($1)', [anna]);
    for (const keeper of keepers) await keeper.start();
    expect(await lift(anna)).toMatchObject([{ kind: 'uuid', uuid: anna, lifted_at: null }]);
    expect(await lift(anna), 'it is lifted').toEqual([]);
    await insert(anna);
    for (const keeper of keepers) {
      await expect(keeper.expectNobodyErased(uuidBytes(anna)), time).resolves.toBeUndefined();
      keeper.expectComplete();
    }
    expect(await openKeeper().start(), 'another instance').toBe(true);
    expect(await reapply()).toEqual({ erasures: 0, erased: 0, pending: 0, lifted: 0 });
  }
  // The command's line is the one that a keeper would write.
  const lines = await ledger.read();
  expect(lines.map(({ type }) => type)).toEqual(['erasure', 'lift', 'erasure', 'lift']);
});

test('a backup from before an identifier was lifted gets the lift, also without its hash', async () => {
  await openKeeper().start();
  await client.query('select clientele.erase_customer($1)', [anna]);
  await openKeeper().start();
  await lift(anna);
  await client.query(
    `begin; set local session_replication_role = replica;
     delete from clientele.suppressions;
     insert into clientele.gone_customers values ('${anna}', 'infinity');
     commit`,
  );
  expect(await reapply()).toEqual({ erasures: 0, erased: 0, pending: 0, lifted: 1 });
  await client.query(
    `insert into customers (uuid, full_name, email_address) values ($1, 'Anna', 'a@acme.example')`,
    [anna],
  );
  expect(await openKeeper().start()).toBe(true);
  expect(await reapply()).toEqual({ erasures: 0, erased: 0, pending: 0, lifted: 0 });
});

test('a restored database gets the erasures and the lifts of the ledger', async () => {
  await erase(anna, ledger);
  await erase(ben, ledger);
  await client.query(
    `select clientele.lift_suppressions(
       array(select s.hash from clientele.suppressions as s join clientele.erasures as e on e.id = s.erasure
             where e.uuid = $1), $2, 'asked')`,
    [anna, [anna]],
  );
  await openKeeper().start();
  const state = `select (select count(*)::int from clientele.erasures) as erasures,
    (select count(*)::int from clientele.suppressions) as hashes,
    (select count(*)::int from clientele.suppressions where lifted_at is not null) as lifted,
    (select json_agg(uuid order by uuid) from clientele.gone_customers) as gone`;
  const { rows: before } = await client.query<{ lifted: number }>(state);
  expect(before).toMatchObject([{ erasures: 2, gone: [ben] }]);

  await forget();
  await insert(anna);
  await insert(ben);
  const { lifted } = before[0]!;
  expect(await reapply()).toEqual({ erasures: 2, erased: 2, pending: 0, lifted });
  expect((await client.query(state)).rows).toEqual(before);
  expect(await openKeeper().start()).toBe(true);
});

test('an erasure that failed is asked for at the next start, unless it was repeated', async () => {
  const keeper = openKeeper();
  await keeper.start();
  await ledger.append([entryOf(anna)]);
  expect(await keeper.start(), 'its transaction may not have ended').toBe(true);
  await keeper.expectNobodyErased(uuidBytes(anna));
  await expect(openKeeper().start()).rejects.toThrow(
    `lacks one erasure of the ledger ${ledger.path}`,
  );
  await erase(anna, ledger);
  expect(await openKeeper().start()).toBe(true);
});

test('a replica may be behind for a while', async () => {
  const keeper = openKeeper(60_000);
  await keeper.start();
  await erase(anna);
  await keeper.start();
  await keeper.expectNobodyErased(uuidBytes(anna));
  await forget();
  expect(await keeper.start()).toBe(true);
});

test('the doctor says what is wrong with the ledger, and how to correct it', async () => {
  const config = { file: ledger.path, secretFile: folder.path('secret') };
  const look = async (given?: typeof config) => {
    const findings = [];
    const circumstances = {
      client,
      migrations: [],
      connections: readConnections({}),
      longTransaction: 300,
    };
    for await (const finding of examine({ ...circumstances, ledger: given, now: Date.now })) {
      if (finding.check === 'ledger of erasures') findings.push(finding);
    }
    await client.query('reset all');
    return findings;
  };
  expect(await look()).toMatchObject([{ state: 'ok', found: 'Nobody has been erased.' }]);
  await erase(anna);
  expect(await look()).toMatchObject([
    { state: 'warning', remedy: expect.stringContaining('CLIENTELE_LEDGER_FILE') },
  ]);
  expect(await look(config)).toMatchObject([
    { state: 'warning', found: 'The ledger lacks erasures of the database (1).' },
  ]);
  await openKeeper().start();
  expect(await look(config)).toMatchObject([
    { state: 'ok', found: 'The ledger has all erasures (1).' },
  ]);
  await forget();
  expect(await look(config)).toMatchObject([
    { state: 'must-fix', remedy: `clientele erase --reapply ${ledger.path}` },
  ]);
  expect(await look({ ...config, file: folder.path('none') })).toMatchObject([
    { state: 'must-fix', found: expect.stringContaining('does not exist') },
  ]);
});
