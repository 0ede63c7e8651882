/** `clientele keys`, and how running servers apply its changes. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { promised } from '@clientele/sandbox/testing/machine';
import { clientele, startService } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';

let database: TestDatabase;
let env: { DATABASE_URL: string };
beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
});
afterAll(() => database[Symbol.asyncDispose]());

const keys = (...args: string[]) => clientele(['keys', ...args], env);

async function create(name: string): Promise<{ key: string; id: string }> {
  const { code, stdout } = await keys('create', '--name', name);
  expect(code).toBe(0);
  const key = stdout.trim();
  return { key, id: key.split('_')[1]! };
}

test('create prints only the key on standard output, and list shows everything except the secret', async () => {
  expect(await keys('list')).toMatchObject({ code: 0, stdout: '' });
  const { code, stdout, stderr } = await keys('create', '--name', 'Support desk');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ck_[0-9a-z]{12}_[0-9A-Za-z]{49}\n$/);
  const [, id, secret] = stdout.trim().split('_');
  expect(stderr).toContain(id);
  expect(stderr).not.toContain(secret);

  const list = await keys('list');
  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout.trim().split('\t')).toEqual([
    id,
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    'active',
    'customers:list,customers:lookup,customers:search,customers:contact,customers:export',
    'Support desk',
    'never used',
    'no daily limit',
  ]);
  expect(JSON.stringify(await database.query('select k.* from clientele.access_keys as k')))
    .not //
    .toContain(secret);
});

test('a key allows only what its scopes allow', async () => {
  const { stdout } = await keys('create', '--name', 'lists only', '--scope', 'customers:list');
  await using service = await startService(env);
  const key = stdout.trim();
  expect((await httpGet(`${service.url}/v3/customers`, key)).status).toBe(200);
  expect(await httpGet(`${service.url}/v3/customers/x`, key)).toMatchObject({
    status: 403,
    body: { code: 'insufficient-scope' },
  });
});

test('scopes are given with commas or repeated; expiry and the daily limit are listed', async () => {
  const created = await keys(
    ...['create', '--name', 'limited', '--scope', 'customers:list,customers:search'],
    ...['--scope', 'customers:lookup', '--expires', '90d', '--records-per-day', '500'],
  );
  expect(created.code).toBe(0);
  const scopes = 'customers:list, customers:search, customers:lookup';
  expect(created.stderr).toContain(`It has the scopes ${scopes}, expires on `);
  expect(created.stderr).toContain('may be shown 500 customers a day.');
  const id = created.stdout.split('_')[1]!;
  const line = (await keys('list')).stdout.split('\n').find((text) => text.startsWith(id))!;
  const [, createdAt, state, listed, , used, records] = line.split('\t');
  const until = Date.parse(state!.replace('active until ', ''));
  expect(until - Date.parse(createdAt!)).toBe(90 * 86_400_000);
  expect([listed, used, records]).toEqual([
    scopes.replaceAll(' ', ''),
    'never used',
    '0 of 500 records today',
  ]);

  await database.query(
    `update clientele.access_keys set expires_at = now(), last_used_at = now() where id = $1`,
    [id],
  );
  await database.query(
    "insert into clientele.records_shown values ($1, (now() at time zone 'utc')::date, 25)",
    [id],
  );
  const { stdout } = await keys('list');
  expect(stdout).toMatch(
    new RegExp(`^${id}\t.*\texpired [^\t]+\t.*\tused [^\t]+\t25 of 500 records today$`, 'm'),
  );
});

test('wrong usage exits with 2, a failed command with 1, both with a message and nothing on stdout', async () => {
  const wrongUsage = [
    ['create'],
    ['create', '--nmae', 'x'],
    ['create', '--name', 'x', '--scope', 'customers:delete'],
    ['create', '--name', 'x', '--scope', 'customers:list,'],
    ['create', '--name', 'x', '--expires', '90'],
    ['create', '--name', 'x', '--expires', '3651d'],
    ['create', '--name', 'x', '--records-per-day', '0'],
    ['create', '--name', 'x', 'y'],
    ['list', '--all'],
    ['revoke'],
    ['rotate'],
  ];
  const failing = [
    ['create', '--name', ' '],
    ['create', '--name', 'x', '--scope', 'customers:search'],
    ['create', '--name', 'x'.repeat(101)],
    ['revoke', 'nobodyhasit0'],
  ];
  const expectFailure = async (args: string[], exitCode: number, message: RegExp) => {
    const { code, stdout, stderr } = await keys(...args);
    expect({ args, code, stdout }).toEqual({ args, code: exitCode, stdout: '' });
    expect(stderr).toMatch(message);
  };
  await Promise.all([
    ...wrongUsage.map((args) => expectFailure(args, 2, /--help/)),
    ...failing.map((args) => expectFailure(args, 1, /^clientele: [^\n]+\n$/)),
  ]);
  const withoutDatabase = await clientele(['keys', 'list'], {});
  expect(withoutDatabase).toMatchObject({ code: 1, stdout: '' });
  expect(withoutDatabase.stderr).toContain('DATABASE_URL must be set');
});

test('creating and revoking a key are in the audit', async () => {
  const { id } = await create('for the audit');
  expect((await keys('revoke', id)).code).toBe(0);
  const { stdout } = await clientele(['audit', 'list', '--limit', '2'], env);
  const login = `login ${new URL(database.url).username}`;
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(entries.map(([, caller, , , what]) => [caller, what])).toEqual([
    [login, `revoke-key ${id}`],
    [login, `create-key ${id}`],
  ]);
});

test('a running server rejects a revoked key within 15 seconds and accepts the others', async () => {
  const [revoked, kept] = [await create('to be revoked'), await create('to be kept')];
  await using service = await startService(env);
  const statusFor = async ({ key }: { key: string }) =>
    (await httpGet(`${service.url}/v3/customers`, key)).status;
  expect([await statusFor(revoked), await statusFor(kept)]).toEqual([200, 200]);

  expect(await keys('revoke', revoked.id)).toMatchObject({ code: 0, stdout: '' });
  await vi.waitFor(async () => expect(await statusFor(revoked)).toBe(401), {
    timeout: promised(15_000),
    interval: 200,
  });
  expect(await statusFor(kept)).toBe(200);
  expect((await keys('revoke', revoked.id)).code, 'revoking again changes nothing').toBe(0);
  const { stdout } = await keys('list');
  expect(stdout).toMatch(new RegExp(`^${revoked.id}\t.*\trevoked `, 'm'));

  // Secrets appear neither in the process list nor in the log.
  const commandLine = await readFile(`/proc/${service.pid}/cmdline`, 'utf8');
  const secrets = [revoked, kept].map(({ key }) => key.split('_')[2]!);
  for (const secret of [...secrets, new URL(database.url).password]) {
    expect(commandLine).not.toContain(secret);
    expect(service.output()).not.toContain(secret);
  }
  expect(service.output(), 'the log identifies keys by their public id').toContain(kept.id);
});
