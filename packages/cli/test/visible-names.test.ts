/** What others have written into names cannot command the terminal of whoever runs a command. */
import { writeFile } from 'node:fs/promises';
import { insertKey, makeAccessKey } from '@clientele/directory';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';

const hostile = 'Ansi \u001B]0;pwned\u0007\u001B[31mred \u202Eedis rehto\u2066 \u009B2J';
/** All but the ends of lines and columns. */
const commands = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
const uuid = '00000000-0000-4000-8000-000000000001';

test('names are printed without control characters', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  await database.insert([
    {
      uuid,
      full_name: hostile,
      email_address: 'ansi@directory.example',
      is_verified: false,
      total_orders: 0,
      lifetime_value_cents: 0,
      created_at: '2026-01-31T09:05:00.000Z',
    },
  ]);
  await database.query(
    `select clientele.start_person_session(gen_random_uuid(), sha256('token'), 'https://login.example',
       'ansi', $1, $1, array['support'], null, null)`,
    [hostile],
  );
  await insertKey(await database.connect(), makeAccessKey(), hostile, ['customers:list']);
  const file = folder.path('customers.csv');
  await writeFile(
    file,
    `uuid,full_name,email_address\n${uuid},${hostile},ansi@directory.example\n`,
  );
  const env = { DATABASE_URL: database.url, CLIENTELE_SECRET_FILE: folder.path('secret') };
  await clientele(['secret', 'create'], env);
  for (const args of [
    ['erase', uuid, '--dry-run'],
    ['people', 'list'],
    ['keys', 'list'],
    ['subject', uuid],
    ['import', file, '--dry-run'],
  ]) {
    const { stdout, stderr } = await clientele(args, env);
    expect(stdout + stderr, args.join(' ')).toContain('Ansi');
    expect(stdout + stderr, args.join(' ')).not.toMatch(commands);
  }
});
