/** The longest statement, whole, next to the code that puts it together. `vitest --update` writes it again. */
import { createTestDatabase, readableSql } from '@clientele/sandbox/testing';
import { expect, test, vi } from 'vitest';
import { createStaging, upsert } from '../src/upsert.ts';

test('upsert.sql: how a layer of staged records is merged', async () => {
  await using database = await createTestDatabase();
  const client = await database.connect();
  await createStaging(client, true);
  const query = vi.spyOn(client, 'query');
  await upsert(client, { records: 0, layers: 1 });
  const texts = query.mock.calls.map(([text]) => text);
  expect(texts).toHaveLength(1);
  const text = readableSql(new Map([['merge a layer', texts[0]!]]));
  await expect(text).toMatchFileSnapshot('../src/upsert.sql');
});
