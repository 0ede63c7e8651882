/** `clientele erase`: whom it erases, what it asks, and what it says when something has to wait. */
import { readFile, writeFile } from 'node:fs/promises';
import {
  createLoginRole,
  setUpDatabaseAndFolder,
  type LoginRole,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientele, type Exit } from './setup/executable.ts';

const uuid = (n: number): string => `00${n}00000-0000-4000-8000-00000000000${n}`;

const { database, folder } = setUpDatabaseAndFolder();
let login: LoginRole;
let env: Record<string, string>;

beforeAll(async () => {
  login = await createLoginRole(database, 'in role clientele_writer');
  env = {
    DATABASE_URL: login.url,
    CLIENTELE_SECRET_FILE: folder.path('secret'),
    CLIENTELE_LEDGER_FILE: folder.path('ledger'),
  };
  await clientele(['secret', 'create'], env);
});
afterAll(async () => {
  await login[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.query('delete from customers');
  await database.query('delete from clientele.gone_customers');
  await database.insert(
    [1, 2, 3].map((n) => ({
      uuid: uuid(n),
      full_name: `Sample Person ${n}`,
      email_address: `Person${n}@Directory.example`,
      is_verified: false,
      total_orders: 0,
      lifetime_value_cents: 0,
      created_at: `2026-01-31T09:05:00.000Z`,
    })),
  );
});

const erase = (...args: string[]): Promise<Exit> => clientele(['erase', ...args], env);

const left = async (): Promise<string[]> => {
  const rows = await database.query<{ uuid: string }>('select uuid from customers order by uuid');
  return rows.map((row) => row.uuid);
};

test('a dry run names the customers and changes nothing; --json has no names', async () => {
  const shown = await erase(uuid(1), '--dry-run');
  expect(shown).toMatchObject({ code: 0, stdout: '' });
  expect(shown.stderr).toContain(`${uuid(1)}  Sample Person 1  Person1@Directory.example`);
  const { stdout } = await erase(uuid(1), uuid(9), '--dry-run', '--json');
  expect(JSON.parse(stdout)).toEqual({
    erase: [uuid(1)],
    unknown: [uuid(9)],
    unknownAddresses: [],
  });
  expect(await left()).toHaveLength(3);
});

test('without a terminal it needs --yes, and it always needs a reason that names nobody', async () => {
  const refused = { code: 1, stdout: '' };
  expect(await erase(uuid(1))).toMatchObject({
    ...refused,
    stderr: expect.stringMatching(/--reason/),
  });
  expect(await erase(uuid(1), '--reason', 'request 17')).toMatchObject({
    ...refused,
    stderr: expect.stringMatching(/--yes/),
  });
  expect(
    await erase(uuid(1), '--yes', '--reason', 'asked by person1@directory.example'),
  ).toMatchObject({ ...refused, stderr: expect.stringMatching(/it is kept/) });
  expect(await erase('anna')).toMatchObject({ ...refused, stderr: expect.stringMatching(/UUID/) });
  expect(await erase()).toMatchObject({
    ...refused,
    stderr: expect.stringMatching(/whom to erase/),
  });
  expect(await left()).toHaveLength(3);
});

test('erases by identifier and address, records it in the ledger and the audit, and leaves nothing', async () => {
  await writeFile(
    folder.path('list'),
    `\uFEFF${uuid(1).toUpperCase()}\r\n\r\nperson2@directory.EXAMPLE\r\n`,
  );
  const { code, stdout } = await erase(
    ...['--file', folder.path('list'), '--reason', 'request 17', '--yes', '--json'],
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    erased: 2,
    unknown: [],
    unknownAddresses: [],
    pending: 0,
    remaining: 0,
    listed: 0,
    waitingFor: [],
  });
  expect(await left()).toEqual([uuid(3)]);
  const traces = await database.query(
    `select from clientele.changes as c where c::text ~ 'person[12]' or c::text ~ 'person 12'`,
  );
  expect(traces).toEqual([]);
  const lines = (await readFile(folder.path('ledger'), 'utf8')).trim().split('\n');
  expect(lines.filter((line) => line.includes('request 17'))).toHaveLength(2);
  const audit = await clientele(['audit', 'who-saw', uuid(2)], { DATABASE_URL: database.url });
  expect(audit.stdout).toMatch(new RegExp(`login ${login.name}\\t.*\\terase\\t2 of 2\\t`));
});

test('addresses that no customer has are named by their place, never by themselves', async () => {
  await writeFile(folder.path('list'), `Person2@directory.example\n\nnobody@mail.example\n`);
  const given = [
    ...['--email', 'PERSON 1@directory.example', '--email', 'anna@mail.example'],
    ...['--file', folder.path('list'), '--reason', 'request 17'],
  ];
  const places = ['entry 2 of --email', `entry 2 of ${folder.path('list')}`];
  const said = `2 addresses belong to no customer: ${places.join(', ')}.`;
  const plan = await erase(...given, '--dry-run');
  expect(plan.stderr).toContain(said);
  const planned = await erase(...given, '--dry-run', '--json');
  expect(JSON.parse(planned.stdout)).toMatchObject({ unknown: [], unknownAddresses: places });

  const done = await erase(...given, '--yes', '--json');
  expect(done.code).toBe(0);
  expect(done.stderr).toContain(`Erased 2 customers. ${said}`);
  expect(JSON.parse(done.stdout)).toMatchObject({ erased: 2, unknownAddresses: places });
  for (const { stdout, stderr } of [plan, planned, done]) {
    expect(stdout + stderr).not.toMatch(/anna@|nobody@/);
  }
  expect(await left()).toEqual([uuid(3)]);
});

test('says which transaction something waits for, and --pending completes it', async () => {
  const old = await database.connect();
  await old.query('begin');
  await old.query('update customers set full_name = full_name where uuid = $1', [uuid(3)]);
  const { rows } = await old.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { code, stderr } = await erase(uuid(3), '--reason', 'request 18', '--yes');
  expect(code).toBe(3);
  expect(stderr).toContain('1 of them can still be found, because their row is locked.');
  expect(stderr).toContain(`process ${rows[0]!.pid}`);
  await old.query('commit');
  const completed = await erase('--pending');
  expect(completed).toMatchObject({ code: 0, stderr: 'No trace of erased people is left.\n' });
  expect(await left()).toEqual([uuid(1), uuid(2)]);
});

test('a feed erases in the same way, and servers or --pending clear the rest', async () => {
  await writeFile(folder.path('feed'), `{"op":"erase","uuid":"${uuid(1)}"}\n`);
  expect(await clientele(['sync', folder.path('feed')], env)).toMatchObject({ code: 0 });
  expect(await left()).toEqual([uuid(2), uuid(3)]);
  expect(await erase('--pending')).toMatchObject({ code: 0 });
  const kept = await database.query(
    `select s.kind from clientele.erasures as e join clientele.suppressions as s on s.erasure = e.id
     where e.uuid = $1 and e.cleared_at is not null order by s.kind`,
    [uuid(1)],
  );
  expect(kept).toEqual([{ kind: 'email' }, { kind: 'uuid' }]);
  const traces = await database.query(
    `select from clientele.changes as c where c::text ~ 'person1'`,
  );
  expect(traces).toEqual([]);
  const ledger = await readFile(folder.path('ledger'), 'utf8');
  expect(ledger.trim().split('\n').at(-1)).toContain(uuid(1));
});

test('needs the secret', async () => {
  const { DATABASE_URL } = env as { DATABASE_URL: string };
  const { code, stderr } = await clientele(['erase', uuid(1), '--yes'], { DATABASE_URL });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('clientele secret create'),
  });
});

test('refuses another secret than that of earlier erasures, which imports would not recognise', async () => {
  expect((await erase(uuid(1), '--reason', 'request 17', '--yes')).code).toBe(0);
  const other = {
    DATABASE_URL: login.url,
    CLIENTELE_SECRET_FILE: folder.path('other-secret'),
  };
  await clientele(['secret', 'create'], other);
  expect(
    await clientele(['erase', uuid(2), '--reason', 'request 18', '--yes'], other),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CLIENTELE_SECRET_FILE is not the secret'),
  });
  expect(await left()).toEqual([uuid(2), uuid(3)]);
});
