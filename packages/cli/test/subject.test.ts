/** `clientele subject`: everything held about a person, and nothing about others. */
import { readFile, stat, symlink } from 'node:fs/promises';
import { customerId, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeAll, expect, test } from 'vitest';
import { clientele, makeKey, startService } from './setup/executable.ts';

const { database, folder } = setUpDatabaseAndFolder();
let env: Record<string, string>;

const customer = (n: number, name: string) => ({
  uuid: customerId(n),
  full_name: `${name} Tsrqpo`,
  email_address: `${name.toLowerCase()}@directory.example`,
  phone_number: `+1 555 01${String(n).padStart(2, '0')}`,
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: '2026-01-31T09:05:00.000Z',
});

beforeAll(async () => {
  env = {
    DATABASE_URL: database.url,
    CLIENTELE_SECRET_FILE: folder.path('secret'),
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
  };
  await clientele(['secret', 'create'], env);
  // The last two have the same place, created_at and beginning of the identifier, as the first.
  await database.insert([customer(1, 'Zyxwvu'), customer(2, 'Other'), customer(3, 'Qqq.Zyxwvu')]);
});

interface Report {
  uuids: string[];
  customers: Record<string, unknown>[];
  changes: { old_text: string | null; new_text: string | null }[];
  tombstones: object[];
  erasures: object[];
  suppressions: object[];
  statistics: { table: string; column: string }[];
  people: object[];
  seen: { action: string }[];
}

async function report(...args: string[]): Promise<Report> {
  const { code, stdout, stderr } = await clientele(['subject', ...args, '--json'], env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Report;
}

test('a report has the record, its earlier texts and who saw it, and nobody else', async () => {
  const key = await makeKey(database.url);
  const service = await startService(env);
  const headers = { authorization: `Bearer ${key}` };
  await (await fetch(`${service.url}/v3/customers`, { headers })).text();
  await (await fetch(`${service.url}/v3/customers/${customerId(1)}`, { headers })).text();
  await (await fetch(`${service.url}/v3/customers/${customerId(2)}`, { headers })).text();
  service.kill('SIGTERM');
  await service.exited;
  await database.query(`update customers set full_name = 'Zyxwvu Married' where uuid = $1`, [
    customerId(1),
  ]);
  await database.query(`update customers set created_at = '2020-02-02' where uuid = $1`, [
    customerId(1),
  ]);
  await database.query('analyze customers');

  const held = await report(customerId(1));
  expect(held.uuids).toEqual([customerId(1)]);
  expect(held.customers).toMatchObject([
    { full_name: 'Zyxwvu Married', phone_number: '+1 555 0101', updated_at: null },
  ]);
  expect(held.changes).toHaveLength(3);
  expect(held.changes[0]).toMatchObject({
    old_text: null,
    new_text: expect.stringMatching(/tsrqpo/),
  });
  expect(held.statistics).toContainEqual({ table: 'public.customers', column: 'email_address' });
  expect(held.seen.map(({ action }) => action)).toEqual(['subject', 'lookup', 'list']);
  const text = JSON.stringify(held);
  for (const other of [customerId(2), customerId(3), 'other@', 'qqq']) {
    expect(text.toLowerCase()).not.toContain(other);
  }
  expect(await report('--email', ' ZYXWVU@directory.example ')).toMatchObject({
    uuids: [customerId(1)],
    customers: held.customers,
    changes: held.changes,
  });
});

test('who was deleted by SQL, or has another address now, is found by the address in the log', async () => {
  await database.insert([customer(4, 'Gone'), customer(5, 'Moved')]);
  await database.query('delete from customers where uuid = $1', [customerId(4)]);
  await database.query(
    `update customers set email_address = 'new@directory.example' where uuid = $1`,
    [customerId(5)],
  );
  const gone = await report('--email', 'gone@directory.example');
  expect(gone.customers).toEqual([]);
  expect(gone.changes).toHaveLength(2);
  const moved = await report('--email', 'moved@directory.example');
  expect(moved.customers).toMatchObject([{ email_address: 'new@directory.example' }]);
  expect(moved.changes).toHaveLength(2);
  // The end of another address is not the address.
  const end = await report('--email', 'zyxwvu@directory.example');
  expect(JSON.stringify(end).toLowerCase()).not.toContain('qqq');
});

test('of an erased person, the erasure and its suppressions are left, found by address too', async () => {
  await database.insert([customer(6, 'Erased')]);
  const erase = ['erase', customerId(6), '--reason', 'request 17', '--yes'];
  expect(await clientele(erase, env)).toMatchObject({ code: 0 });
  for (const asked of [[customerId(6)], ['--email', 'Erased@Directory.example']]) {
    const held = await report(...asked);
    expect(held).toMatchObject({
      uuids: [customerId(6)],
      customers: [],
      changes: [],
      tombstones: [{ uuid: customerId(6), gone_at: 'infinity' }],
      erasures: [{ reason: 'request 17', cleared_at: expect.any(String) }],
    });
    expect(held.suppressions.length).toBeGreaterThanOrEqual(3);
    expect(held.seen.at(-1)).toMatchObject({ action: 'erase' });
  }
  const { CLIENTELE_SECRET_FILE: _, ...without } = env;
  const refused = await clientele(['subject', '--email', 'erased@directory.example'], without);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CLIENTELE_SECRET_FILE'),
  });
});

test('the page is private, has no scripts, and shows hostile text as text', async () => {
  await database.insert([
    { ...customer(7, 'Hostile'), full_name: '<script>alert(1)</script> & "Co"' },
  ]);
  const path = folder.path('page.html');
  const written = await clientele(['subject', customerId(7), '--html', path], env);
  expect(written).toMatchObject({ code: 0, stdout: '' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const page = await readFile(path, 'utf8');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Co&quot;');
  expect(page).not.toContain('<script');
  expect(page).toContain('+1 555 0107');
  const again = await clientele(['subject', customerId(7), '--html', path], env);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('it exists') });
  await symlink(folder.path('elsewhere'), folder.path('link'));
  const linked = await clientele(['subject', customerId(7), '--html', folder.path('link')], env);
  expect(linked.code).toBe(1);
  await expect(stat(folder.path('elsewhere'))).rejects.toThrow('ENOENT');
});

test('text for a terminal has no control characters of the record', async () => {
  await database.insert([{ ...customer(8, 'Control'), company_name: 'A\u{1B}[2J\u202EB' }]);
  const { stdout } = await clientele(['subject', customerId(8)], env);
  expect(stdout).toContain(`What is stored about ${customerId(8)}`);
  expect(stdout).toContain('Company name: A\u{FFFD}[2J\u{FFFD}B');
  expect(stdout).not.toContain('\u{1B}');
});

test.each([
  [[], 'Say who it is'],
  [['not-a-uuid'], 'Not the UUID of a customer'],
  [[customerId(1), '--email', 'a@directory.example'], 'either a UUID, or --email'],
  [['--email', 'nobody'], 'either a UUID, or --email'],
])('subject %j is refused', async (args, message) => {
  expect(await clientele(['subject', ...args], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message),
  });
});
