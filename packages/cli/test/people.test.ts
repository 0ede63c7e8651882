/** `clientele people`: who has signed in with a provider, and who may no longer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
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
});

test.each(['disable', 'enable'])('%s says so if nobody has the id', async (command) => {
  const { code, stderr } = await people(command, 'anna');
  expect(code).toBe(1);
  expect(stderr).toContain('clientele people list');
});
