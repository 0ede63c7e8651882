import { expect, test } from 'vitest';
import { createTestDatabase } from '@clientele/sandbox/testing';
import { clientele } from './setup/executable.ts';

test('nothing to mend: exit code 0, every finding told', async () => {
  await using database = await createTestDatabase();
  const { code, stdout, stderr } = await clientele(['doctor'], { DATABASE_URL: database.url });
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok +version/),
  });
  expect(stderr).toMatch(/^0 must be mended, \d+ warnings, 0 unknown, \d+ ok\n$/);
});

test('something to mend: exit code 1, the remedy; --quiet tells no more; --json adds up', async () => {
  await using database = await createTestDatabase();
  await database.query('drop index customers_by_place');
  const env = { DATABASE_URL: database.url };
  const quiet = await clientele(['doctor', '--quiet'], env);
  expect(quiet).toMatchObject({ code: 1, stderr: '' });
  expect(quiet.stdout).toMatch(/^MEND +indexes: The index public.customers_by_place is missing/m);
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
  expect(counts).toMatchObject({ mend: 1 });
});

test('a database that does not answer, and a setting that is wrong: exit code 1, in words', async () => {
  const away = { DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/nowhere' };
  expect(await clientele(['doctor'], away)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not answer'),
  });
  expect(await clientele(['doctor'], { ...away, CLIENTELE_CONNECTIONS: '3' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CLIENTELE_CONNECTIONS must be'),
  });
});
