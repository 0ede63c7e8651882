/** The table of fields and the database say the same. Bounds are compared by the server's customers-table.test.ts. */
import {
  fieldOf,
  searchedFields,
  sortFields,
  wireFields,
  type FieldName,
} from '@clientele/contract/customer-fields';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { columnTypes, nameText, searchText } from '../src/db/customer-columns.ts';
import { orders } from '../src/db/orders.ts';
import { prepareMasking } from '../src/db/prepare-masking.ts';

/** Columns that are in no response. */
const own = ['search_text', 'place', 'updated_at', 'name_text'];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await prepareMasking(await database.connect());
});
afterAll(() => database[Symbol.asyncDispose]());

const names = async (statement: string): Promise<string[]> =>
  (await database.query<{ name: string }>(statement)).map(({ name }) => name);

function definition(name: FieldName): string {
  const { kind, nullable, default: value } = fieldOf(name);
  const fallback = kind === 'uuid' ? 'gen_random_uuid()' : value === 'now' ? 'now()' : value;
  return `${name} ${columnTypes[kind]} ${nullable ? '' : 'not null'} default ${fallback ?? null}`;
}

test('public.customers has a column of the type, nullability and default of each field', async () => {
  await database.query(`create temp table customers (${wireFields.map(definition).join(', ')})`);
  const columnsOf = (schema: string) =>
    database.query<{ column_name: string }>(
      `select column_name, data_type, datetime_precision, is_nullable,
         nullif(column_default, 'NULL::' || data_type) as column_default
       from information_schema.columns
       where table_name = 'customers' and table_schema like '${schema}' order by column_name`,
    );
  const columns = await columnsOf('public');
  const fields = columns.filter(({ column_name }) => !own.includes(column_name));
  expect(fields).toEqual(await columnsOf('pg_temp%'));
  expect(columns).toHaveLength(wireFields.length + own.length);
  await database.query('drop table pg_temp.customers');
});

test('masked callers may read every field but those for contact', async () => {
  const granted = await names(
    `select column_name as name from information_schema.column_privileges
     where table_schema = 'public' and table_name = 'customers' and grantee = 'clientele_masked_reader'`,
  );
  const shown = wireFields.filter((name) => !fieldOf(name).contact);
  expect(granted.toSorted()).toEqual([...shown, 'name_text', 'place'].toSorted());
});

/** One term: an underscore separates terms. */
const word = (name: FieldName): string => name.replaceAll('_', '');

test('searches look at every searched field, and masked ones at all of them but those for contact', async () => {
  const parameters = await names(
    `select unnest(p.proargnames) as name from pg_proc as p
     where p.oid = 'clientele.search_text'::regproc`,
  );
  expect(parameters.toSorted()).toEqual(searchedFields.toSorted());
  await database.insert([
    {
      uuid: '00000000-0000-4000-8000-000000000001',
      ...Object.fromEntries(searchedFields.map((name) => [name, word(name)])),
    },
  ]);
  const [row] = await database.query<{ search_text: string; name_text: string }>(
    `select c.search_text, c.name_text from customers as c
     where c.search_text = ${searchText} and c.name_text = ${nameText}`,
  );
  for (const name of searchedFields) {
    expect(row!.search_text).toContain(word(name));
    expect(row!.name_text.includes(word(name))).toBe(!fieldOf(name).contact);
  }
});

test('lists can be sorted by creation, and by the fields that have an order to prepare', () => {
  expect(sortFields).toEqual([...orders, 'created_at']);
});
