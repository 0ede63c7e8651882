/** What a small directory has prepared without being asked. */
import { createTestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { orders } from '../src/db/orders.ts';
import {
  findUnprepared,
  isSmallDirectory,
  prepareSmallDirectory,
} from '../src/db/small-directory.ts';

test('an open transaction ends the preparation after a while, and the next one completes it', async () => {
  await using database = await createTestDatabase();
  await database.query(
    `insert into customers (full_name, email_address)
     select 'Customer ' || i, i || '@directory.example' from generate_series(1, 100) as i`,
  );
  const client = await database.connect();
  expect(await isSmallDirectory(client)).toBe(true);
  const missing = await findUnprepared(client);
  expect(missing).toEqual([...orders.map((order) => `sort ${order}`), 'masking']);
  const dump = await database.connect();
  await dump.query('begin isolation level repeatable read; select from clientele.changes limit 1');
  await expect(prepareSmallDirectory(client, missing, '100ms')).rejects.toMatchObject({
    code: '55P03',
  });
  await dump.query('commit');
  for (let runs = 0; runs < 2; runs += 1) {
    await prepareSmallDirectory(client, await findUnprepared(client));
  }
  // Once an order is on, the others are the operator's choice.
  expect(await findUnprepared(client)).toEqual([]);
});
