/** Backups from before an erasure, restored with pg_restore: nobody who was erased is shown, not even once. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { findPostgres, withClient } from '@clientele/sandbox';
import {
  createTestDatabase,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { createSecretFile, Ledger, readSecretFile, type Secret } from '@clientele/directory';
import {
  clientele,
  makeKey,
  startService,
  type Environment,
  type Service,
} from './setup/executable.ts';

const run = promisify(execFile);
const binDir = (await findPostgres())
  .map(({ binDir }) => binDir)
  .find((folder) => existsSync(join(folder, 'pg_restore')));
const tool = (name: string, ...args: string[]) => run(join(binDir!, name), args);

const count = 60;
const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** On different pages. */
const erased = [uuidOf(3), uuidOf(31), uuidOf(58)];

let database: TestDatabase;
let folder: TemporaryFolder;
let env: Environment;
let secret: Secret;
let ledger: Ledger;
let key: string;
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await temporaryFolder();
  await database.insert(
    Array.from({ length: count }, (_, i) => ({
      uuid: uuidOf(i + 1),
      full_name: `Person Number${i + 1}`,
      email_address: `person${i + 1}@acme.example`,
      is_verified: true,
      total_orders: 0,
      lifetime_value_cents: 0,
      created_at: `2026-01-01T00:00:${String(i).padStart(2, '0')}.000Z`,
    })),
  );
  env = {
    DATABASE_URL: database.url,
    CLIENTELE_SECRET_FILE: folder.path('secret'),
    CLIENTELE_LEDGER_FILE: folder.path('instance.ledger'),
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
  };
  await createSecretFile(folder.path('secret'));
  secret = await readSecretFile(folder.path('secret'));
  ledger = await Ledger.open(folder.path('operator.ledger'), secret);
  key = await makeKey(database.url);
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function runErase(...args: string[]): Promise<object> {
  const { code, stdout, stderr } = await clientele(['erase', ...args, '--json'], env);
  expect(stderr).toContain('No trace of erased people is left.');
  expect(code).toBe(0);
  return JSON.parse(stdout) as object;
}
const eraseAll = () =>
  runErase(...erased, '--reason', 'request 17', '--ledger', ledger.path, '--yes');
const reapply = (from = ledger) => runErase('--reapply', from.path);

const backup = () => tool('pg_dump', '-Fc', '-f', folder.path('backup'), database.url);
const restoreInPlace = (...options: string[]) =>
  tool('pg_restore', ...options, '-d', database.url, folder.path('backup'));

async function restoreIntoNew(): Promise<void> {
  await withClient(inject('postgresUrl'), async (admin) => {
    await admin.query(`drop database ${database.name} with (force)`);
    await admin.query(
      `create database ${database.name} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    );
  });
  await restoreInPlace();
}

interface Body {
  code?: string;
  data: { uuid: string }[];
  pagination: { total: number };
}

async function get(service: Service, path: string): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${service.url}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const everyPath = [
  ...[1, 2, 3].map((page) => `/v3/customers?page=${page}&perPage=20`),
  '/v3/customers?search=number3',
  ...erased.map((uuid) => `/v3/customers/${uuid}`),
];

/** Requests everything. Returns which paths showed people who are to be erased. */
async function pathsThatShow(service: Service): Promise<string[]> {
  const shown: string[] = [];
  for (const path of everyPath) {
    const { status, body } = await get(service, path);
    const text = JSON.stringify(body);
    if (status === 200 && erased.some((uuid) => text.includes(uuid))) shown.push(path);
  }
  return shown;
}

/** The same, all the time. */
async function whileReading(service: Service, work: () => Promise<unknown>): Promise<string[]> {
  const done = new AbortController();
  const shown: string[] = [];
  const reading = (async () => {
    while (!done.signal.aborted) shown.push(...(await pathsThatShow(service)));
  })();
  await work().finally(() => done.abort());
  await reading;
  return shown;
}

async function expectExact(service: Service): Promise<void> {
  const left = count - erased.length;
  for (const page of [1, 2, 3]) {
    const { body } = await get(service, `/v3/customers?page=${page}&perPage=20`);
    expect(body.pagination.total).toBe(left);
    expect(body.data).toHaveLength(page < 3 ? 20 : left - 40);
  }
  const { body } = await get(service, '/v3/customers?search=number3');
  // 3 and 31 of 3, 30 to 39.
  expect(body.pagination.total).toBe(9);
  for (const uuid of erased) {
    expect((await get(service, `/v3/customers/${uuid}`)).status).toBe(404);
  }
}

const readyz = async (service: Service) => {
  const { status, body } = await get(service, '/readyz');
  return body.code ?? status;
};

/** The instance has noticed the erasures. */
const copied = () =>
  vi.waitFor(
    async () => {
      const copy = await Ledger.open(env['CLIENTELE_LEDGER_FILE']!, secret);
      const uuids = (await copy.read()).map((entry) => 'uuid' in entry && entry.uuid);
      expect(new Set(uuids)).toEqual(new Set(erased));
    },
    { timeout: 300_000, interval: 100 },
  );

const becomes = (service: Service, state: number | string) =>
  vi.waitFor(async () => expect(await readyz(service)).toBe(state), {
    timeout: 300_000,
    interval: 100,
  });

describe.skipIf(!binDir)('after an erasure', () => {
  beforeEach(backup);

  test('a server refuses to start on an older backup until the ledger is reapplied', async () => {
    await eraseAll();
    await restoreIntoNew();
    const own = { ...env, CLIENTELE_LEDGER_FILE: ledger.path };
    const refused = await clientele(['serve'], { ...own, PORT: '0' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The database lacks 3 erasures');
    expect(refused.stderr).toContain(`Run: clientele erase --reapply ${ledger.path}`);
    expect(refused.stdout).not.toContain('listening');

    const nowhere = await clientele(['erase', '--reapply', folder.path('nowhere')], env);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') });
    const plan = await clientele(['erase', '--reapply', ledger.path, '--dry-run', '--json'], env);
    expect(JSON.parse(plan.stdout)).toEqual({ erasures: 3, returned: 0 });
    expect(await reapply()).toMatchObject({ erasures: 3, erased: 3, pending: 0 });
    expect(await reapply(), 'nothing is left to do').toMatchObject({ erasures: 0, erased: 0 });
    await using service = await startService(own);
    await expectExact(service);
    expect(await readyz(service)).toBe(200);
  });

  test('each instance keeps the whole ledger, so any copy can be reapplied', async () => {
    await using service = await startService(env);
    await eraseAll();
    await copied();
    await restoreIntoNew();
    const copy = await Ledger.open(env['CLIENTELE_LEDGER_FILE']!, secret);
    expect(await reapply(copy)).toMatchObject({ erasures: 3, erased: 3 });
    // It may have noticed what the database lacked.
    await becomes(service, 200);
    await expectExact(service);
  });

  test.each([
    ['a restore into a new database', restoreIntoNew],
    ['a restore into the live database', () => restoreInPlace('--clean', '--if-exists')],
    [
      'a restore of the table alone',
      async () => {
        await database.query('truncate customers').catch(() => undefined);
        await restoreInPlace('--data-only', '--disable-triggers', '--table=customers');
        await withClient(database.url, (client) =>
          client.query(`
            alter table customers enable replica trigger log_replicated_inserts;
            alter table customers enable always trigger log_updates;
            alter table customers enable always trigger log_deletes;
            alter table customers enable always trigger log_truncate`),
        );
      },
    ],
  ])('a running server never shows the erased during %s', async (_name, restore) => {
    await using service = await startService(env);
    expect(await pathsThatShow(service)).toEqual(everyPath);
    await eraseAll();
    await copied();
    await expectExact(service);
    const shown = await whileReading(service, async () => {
      await restore();
      await becomes(service, 'erasures-missing');
    });
    expect(shown).toEqual([]);
    expect(await get(service, '/v3/customers')).toMatchObject({
      status: 503,
      body: { code: 'erasures-missing' },
    });

    const shownLater = await whileReading(service, async () => {
      expect(await reapply()).toMatchObject({ erased: 3, pending: 0 });
      await becomes(service, 200);
    });
    expect(shownLater).toEqual([]);
    await expectExact(service);
  });
});
