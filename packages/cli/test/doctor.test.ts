import { expect, test } from 'vitest';
import { createLoginRole, createTestDatabase } from '@clientele/sandbox/testing';
import { clientele } from './setup/executable.ts';

test('a healthy database: exit code 0, and every check is listed', async () => {
  await using database = await createTestDatabase();
  const { code, stdout, stderr } = await clientele(['doctor'], { DATABASE_URL: database.url });
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok +version/),
  });
  expect(stderr).toMatch(/^0 must be fixed, \d+ warnings, 0 unknown, \d+ ok\n$/);
});

test('a missing index: exit code 1 with the fix, --quiet lists only problems, and the counts of --json add up', async () => {
  await using database = await createTestDatabase();
  await database.query('drop index customers_by_place');
  const env = { DATABASE_URL: database.url };
  const quiet = await clientele(['doctor', '--quiet'], env);
  expect(quiet).toMatchObject({ code: 1, stderr: '' });
  expect(quiet.stdout).toMatch(
    /^MUST FIX +indexes: The index public.customers_by_place is missing/m,
  );
  expect(quiet.stdout).toContain('→ create index concurrently customers_by_place');
  expect(quiet.stdout).not.toMatch(/^ok /m);

  const { code, stdout, stderr } = await clientele(['doctor', '--json'], env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const { findings, ...counts } = JSON.parse(stdout) as Record<string, number> & {
    findings: { state: string }[];
  };
  for (const [state, count] of Object.entries(counts)) {
    expect(findings.filter((finding) => finding.state === state)).toHaveLength(count);
  }
  expect(counts).toMatchObject({ 'must-fix': 1 });
});

test('a login that may not read everything: exit code 3 with the logins that may; that of the server may', async () => {
  await using database = await createTestDatabase();
  await using imports = await createLoginRole(database, 'in role clientele_writer');
  const few = await clientele(['doctor'], { DATABASE_URL: imports.url });
  expect(few.code).toBe(3);
  expect(few.stdout).toMatch(
    /^unknown +.*not allowed[^]*those of clientele_serve or clientele_owner/m,
  );
  await using serve = await createLoginRole(database, 'in role clientele_reader');
  const most = await clientele(['doctor'], { DATABASE_URL: serve.url });
  expect(most, most.stdout).toMatchObject({ code: 0 });

  const other = await database.connect();
  await other.query('begin');
  const meanwhile = await clientele(['doctor'], { DATABASE_URL: serve.url });
  expect(meanwhile.stdout).toMatch(/^unknown +transactions: [^]*grant pg_monitor to/m);
  expect(meanwhile.code, 'what only a superuser could see does not fail a timer').toBe(0);
});

test('a database that does not respond or an invalid setting: exit code 1 with a message', async () => {
  const unreachable = { DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/nowhere' };
  expect(await clientele(['doctor'], unreachable)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not respond'),
  });
  expect(await clientele(['doctor'], { ...unreachable, CLIENTELE_CONNECTIONS: '3' })).toMatchObject(
    {
      code: 1,
      stderr: expect.stringContaining('CLIENTELE_CONNECTIONS must be'),
    },
  );
});
