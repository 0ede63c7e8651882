/** `clientele retention` on real customers. */
import { readFile, writeFile } from 'node:fs/promises';
import {
  createLoginRole,
  customerId,
  setUpDatabaseAndFolder,
  type LoginRole,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientele, startClientele, type Exit } from './setup/executable.ts';

const { database, folder } = setUpDatabaseAndFolder();
let importer: LoginRole;
let env: Record<string, string>;
beforeAll(async () => {
  importer = await createLoginRole(database, 'in role clientele_writer');
  env = {
    DATABASE_URL: importer.url,
    CLIENTELE_SECRET_FILE: folder.path('secret'),
    CLIENTELE_LEDGER_FILE: folder.path('ledger'),
  };
  await clientele(['secret', 'create'], env);
});
afterAll(async () => {
  await importer[Symbol.asyncDispose]();
});

/** Two of twenty were created long ago: one of them has ordered since. */
beforeEach(async () => {
  await database.query('truncate customers, clientele.erasures, clientele.gone_customers cascade');
  await database.insert(
    Array.from({ length: 20 }, (_, n) => ({
      uuid: customerId(n),
      full_name: `Zyxwvu${n} Tsrqpo`,
      email_address: `s${n}@directory.example`,
      total_orders: n === 1 ? 1 : 0,
      last_order_at: n === 1 ? '2012-06-01T00:00:00.000Z' : null,
      created_at: n < 2 ? `201${n}-01-31T09:05:00.000Z` : '2026-01-31T09:05:00.000Z',
    })),
  );
});

async function rulesFile(...rules: object[]): Promise<string> {
  const path = folder.path('rules.json');
  await writeFile(path, JSON.stringify({ rules }));
  return path;
}

const inactive = { name: 'inactive', no_order_for: '7 years', is_verified: false };

async function retention(rules: object[], ...args: string[]): Promise<Exit> {
  return clientele(['retention', await rulesFile(...rules), ...args], env);
}

const customers = async (): Promise<number> => {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int as count from customers',
  );
  return row!.count;
};

test('a dry run says how many and who, without names, and changes nothing', async () => {
  const { code, stdout, stderr } = await retention([inactive], '--dry-run');
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/^On \d{4}-\d\d-\d\d, 2 of 20 customers are due\.\n {2}inactive: 2\n$/);
  expect(stdout).toBe(
    `${customerId(0)}\tinactive\tcreated 2010-01-31\tnever ordered\n` +
      `${customerId(1)}\tinactive\tcreated 2011-01-31\tordered 2012-06-01\n`,
  );
  expect(await customers()).toBe(20);
});

test('a dry run lists the oldest 20, and all of them with --json', async () => {
  await database.query(`update customers set created_at = '2011-01-01'`);
  await database.query(
    `insert into customers (full_name, email_address, created_at) values ('A', 'a@directory.example', '2010-01-01')`,
  );
  const text = await retention([inactive], '--dry-run');
  expect(text.stderr).toContain('The oldest 20; --json lists all:');
  expect(text.stdout.split('\n')).toHaveLength(21);
  const { stdout } = await retention([inactive], '--dry-run', '--json');
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(21);
  expect(JSON.parse(lines[0]!)).toEqual({
    uuid: expect.any(String),
    rule: 'inactive',
    created_at: '2010-01-01T00:00:00.000Z',
    last_order_at: null,
  });
});

test('the importing login erases who is due, for good, on record and in the ledger', async () => {
  const { code, stdout, stderr } = await retention([inactive], '--yes', '--json');
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    customers: 20,
    due: 2,
    erased: 2,
    rules: [{ name: 'inactive', erased: 2 }],
    remaining: 0,
  });
  expect(await customers()).toBe(18);
  expect(await database.query('select uuid, reason from clientele.erasures order by uuid')).toEqual(
    [0, 1].map((n) => ({ uuid: customerId(n), reason: 'retention: inactive' })),
  );
  expect(
    await database.query(
      `select action, customers::text[] from clientele.audit_entries where action = 'erase'`,
    ),
  ).toEqual([{ action: 'erase', customers: [customerId(0), customerId(1)] }]);
  const ledger = await readFile(folder.path('ledger'), 'utf8');
  expect(ledger).toContain(customerId(0));
  expect(ledger).not.toContain('Zyxwvu');
  expect(
    await database.query(`select from clientele.changes as c where c::text like '%zyxwvu0%'`),
  ).toEqual([]);
});

test('without a terminal and without --yes, nothing is erased', async () => {
  const { code, stderr } = await retention([inactive]);
  expect(code).toBe(1);
  expect(stderr).toContain('Confirm with --yes');
  expect(await customers()).toBe(20);
});

test('more than a fifth of all customers needs --allow-many', async () => {
  await database.query(`update customers set created_at = '2010-01-01' where created_at > '2020-01-01'
    and right(uuid::text, 1) < '3'`);
  const old = { name: 'old', older_than: '7 years' };
  const refused = await retention([old], '--yes');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('more than 20 % of all customers');
  expect(await customers()).toBe(20);
  const allowed = await retention([old], '--yes', '--allow-many');
  expect(allowed.code, allowed.stderr).toBe(0);
  expect(await customers()).toBeLessThan(16);
});

test('a file with faults is refused with all of them', async () => {
  const { code, stderr } = await retention(
    [{ name: 'all' }, { name: 'b', older_than: 7 }],
    '--yes',
  );
  expect(code).toBe(1);
  expect(stderr).toContain('rule 1: it needs one of');
  expect(stderr).toContain('rule 2: "older_than" must be a period');
  const missing = await clientele(['retention', folder.path('none.json')], env);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('(ENOENT)') });
});

test('a run that is stopped has erased whole batches, and the next one continues', async () => {
  await database.query(
    `insert into customers (full_name, email_address, created_at)
     select 'A', 'a' || n || '@directory.example', '2010-01-01' from generate_series(1, 3000) as n`,
  );
  const args = ['retention', await rulesFile(inactive), '--yes', '--allow-many'];
  const shop = await database.connect();
  await shop.query('begin');
  await shop.query('select clientele.lock_deletes(false)');
  await using running = startClientele(args, env);
  // It waits for the lock of its first batch.
  await expect
    .poll(
      () => database.query(`select from pg_locks where locktype = 'advisory' and not granted`),
      {
        timeout: 300_000,
      },
    )
    .toHaveLength(1);
  running.kill('SIGTERM');
  await shop.query('commit');
  const { code, stderr } = await running.exited;
  expect(code).toBe(1);
  expect(stderr).toContain('Erased 500 of 3002 customers.');
  expect(stderr).toContain('Run it again to continue');
  expect(await customers()).toBe(2520);
  const rest = await clientele([...args, '--json'], env);
  expect(rest.code, rest.stderr).toBe(0);
  expect(JSON.parse(rest.stdout)).toMatchObject({ erased: 2502, remaining: 0 });
  expect(await customers()).toBe(18);
});
