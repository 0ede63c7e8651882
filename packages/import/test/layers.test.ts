/** Records are merged in as many steps as their shapes need, however many columns are optional. */
import { createTestDatabase, customerId } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { bitsOf } from '../src/given-bits.ts';
import { Layers } from '../src/layers.ts';
import { createStaging } from '../src/upsert.ts';

const uuid = customerId(1);
const columns = (count: number): string[] => Array.from({ length: count }, (_, i) => `column_${i}`);

test.each([7, 8, 9, 15])('with %i optional columns, no two shapes are merged as one', (count) => {
  const bits = Object.values(bitsOf(columns(count)));
  const all = bits.reduce((sum, bit) => sum + bit, 0);
  const shapes = (['upsert', 'delete', 'erase'] as const).flatMap((op) =>
    [0, ...bits, all].map((given) => ({ uuid, op, given })),
  );
  for (const first of shapes) {
    const expected = shapes.map((second) => (second === first ? 0 : 1));
    const found = shapes.map((second) => {
      const layers = new Layers(count);
      layers.of(first);
      return layers.of(second);
    });
    expect(found, JSON.stringify(first)).toEqual(expected);
  }
});

test('the staging table holds fifteen bits, and a sixteenth optional column is refused', async () => {
  const most = Math.max(...Object.values(bitsOf(columns(15))));
  const all = 2 * most - 1;
  await using database = await createTestDatabase();
  const client = await database.connect();
  await createStaging(client, true);
  const { rows } = await client.query<{ given: number }>(
    'insert into pg_temp.incoming (position, layer, op, given, uuid) values (0, 0, 0, $1, $2) returning given',
    [all, uuid],
  );
  expect(rows).toEqual([{ given: all }]);
  expect(() => bitsOf(columns(16))).toThrow(/16 optional columns/);
});
