/** `clientele people`: who has signed in with a provider, and who may no longer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import type { StoredEntry } from '@clientele/directory';
import { clientele } from './setup/executable.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const people = (...args: string[]) =>
  clientele(['people', ...args], { DATABASE_URL: database.url });

test('people are listed, disabled with their sessions, and enabled', async () => {
  expect(await people('list')).toMatchObject({ code: 0, stdout: '' });
  const [row] = await database.query<{ id: string }>(
    `select clientele.start_person_session(gen_random_uuid(), sha256('token'), 'https://login.example',
       'anna', 'Anna Sample', 'anna@staff.example', array['export', 'support'], null, null) as id`,
  );
  const id = row!.id;
  const state = async () => (await people('list')).stdout.trim().split('\t');
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const who = ['export,support', 'Anna Sample', 'anna@staff.example'];
  expect(await state()).toEqual([id, time, 'active', ...who]);

  expect(await people('disable', id)).toMatchObject({ code: 0, stdout: '' });
  expect(await state()).toEqual([id, time, expect.stringMatching(/^disabled 2/), ...who]);
  expect(await database.query('select * from clientele.sessions')).toEqual([]);

  expect(await people('enable', id)).toMatchObject({ code: 0, stdout: '' });
  expect(await state()).toEqual([id, time, 'active', ...who]);

  // By default, newest first.
  const env = { DATABASE_URL: database.url };
  const { stdout } = await clientele(['audit', 'list', '--json'], env);
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEntry);
  const login = new URL(database.url).username;
  expect(entries).toMatchObject([
    { action: 'enable-person', target: id, caller_kind: 'login', caller_id: login, shown: 0 },
    { action: 'disable-person', target: id, caller_kind: 'login', caller_id: login, shown: 0 },
  ]);
  expect((await clientele(['audit', 'list'], env)).stdout).toContain(`\tenable-person ${id}\t-\t`);
  expect((await clientele(['audit', 'verify'], env)).code).toBe(0);
});

test('nothing is changed if it cannot be recorded, unless the audit is off', async () => {
  const [row] = await database.query<{ id: string }>('select id from clientele.people limit 1');
  const disable = (env: Record<string, string>) =>
    clientele(['people', 'disable', row!.id], { DATABASE_URL: database.url, ...env });
  const isDisabled = async () =>
    (await people('list')).stdout.split('\t')[2]!.startsWith('disabled');
  await database.query(
    'alter table clientele.audit_batches add constraint "full" check (false) not valid',
  );
  expect((await disable({})).code).toBe(1);
  expect(await isDisabled()).toBe(false);
  expect((await disable({ CLIENTELE_AUDIT: 'off' })).code).toBe(0);
  expect(await isDisabled()).toBe(true);
  await database.query('alter table clientele.audit_batches drop constraint "full"');
});

test.each(['disable', 'enable'])('%s says so if nobody has the id', async (command) => {
  const { code, stderr } = await people(command, 'anna');
  expect(code).toBe(1);
  expect(stderr).toContain('clientele people list');
});
