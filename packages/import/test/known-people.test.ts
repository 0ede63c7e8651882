/** New customers with the address of an existing one are found, however it is written and however many there are. */
import { writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { examine, openTable } from '@clientele/import';
import { beforeAll, expect, test } from 'vitest';

const addresses: [inDirectory: string, inFile: string][] = [
  ['ada@mail.example', 'Ada@MAIL.example '],
  ['100%_of\\them@mail.example', '100%_OF\\them@mail.example'],
  ["o'brien@mail.example", "O'Brien@mail.example"],
  ['  padded@mail.example', 'padded@mail.example'],
  ['jürgen@müller.example', 'JÜRGEN@MÜLLER.example'],
  ['\u212Aelvin@mail.example', 'kelvin@mail.example'],
  ['İpek@mail.example', 'i̇pek@mail.example'],
  ['山田@例え.example', '山田@例え.EXAMPLE'],
  ['no address', 'No Address'],
  ['a@b', 'A@B'],
];

const { database, folder } = setUpDatabaseAndFolder();
beforeAll(async () => {
  await database.query(
    `insert into customers (uuid, full_name, email_address)
     select gen_random_uuid(), 'Ada', address from unnest($1::text[]) as address
     union all
     select gen_random_uuid(), 'Other', 'x' || address from unnest($1::text[]) as address`,
    [addresses.map(([address]) => address)],
  );
});

/** What is said about a file with these people. */
async function announced(people: object[]): Promise<string> {
  const path = folder.path('new.ndjson');
  await writeFile(path, people.map((person) => `${JSON.stringify(person)}\n`).join(''));
  const reading = { map: new Map(), stdin: process.stdin, raw: true };
  const lines: string[] = [];
  await examine([await openTable(path, reading)], {
    databaseUrl: database.url,
    accept: new Set(['known-people', 'known-addresses']),
    log: (line) => lines.push(line),
  });
  return lines.join('\n');
}

const unknown = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({
    uuid: id(100 + n),
    full_name: `New ${n}`,
    email_address: `new${n}@mail.example`,
  }));

/** How often the table or its search index is read for a file in which nobody is known. */
async function scansFor(people: object[]): Promise<number> {
  const scans = async (): Promise<number> => {
    const [row] = await database.query<{ n: number }>(
      `select sum(pg_stat_get_numscans(r.oid))::int as n
       from pg_class as r where r.relname in ('customers', 'customers_search')`,
    );
    return row!.n;
  };
  const before = await scans();
  expect(await announced(people)).toBe('');
  // Sessions report their scans when they end.
  const message = 'PostgreSQL counts the scans of the ended session';
  await expect.poll(scans, { timeout: 300_000, message }).toBeGreaterThan(before);
  return (await scans()) - before;
}

test.each([
  ['few', 1],
  ['many', 40],
])('among %s new customers', async (_, others) => {
  for (const [n, [, address]] of addresses.entries()) {
    const known = { uuid: id(n), full_name: 'ADA', email_address: address };
    expect(await announced([...unknown(others), known]), address).toMatch(
      /^warning: 1 new customer has the name and the address of an existing one/,
    );
  }
  const all = addresses.map(([, address], n) => ({
    uuid: id(n),
    full_name: 'Somebody',
    email_address: address,
  }));
  expect(await announced([...unknown(others), ...all])).toMatch(
    /^warning: 10 new customers have the address of existing ones with other names/,
  );
  expect(await announced(unknown(others))).toBe('');
});

test('a few new customers among many known ones are looked up, and nobody else is', async () => {
  const known = Array.from({ length: 3_000 }, (_, n) => ({
    uuid: id(10_000 + n),
    full_name: `Known ${n}`,
    email_address: `known${n}@mail.example`,
  }));
  await database.query(
    `insert into customers (uuid, full_name, email_address)
     select k.uuid, k.full_name, k.email_address
     from json_populate_recordset(null::customers, $1) as k`,
    [JSON.stringify(known)],
  );
  expect(await scansFor([...unknown(3), ...known])).toBeLessThan(20);
});

test('without the search index, which an interrupted first import leaves out, the table is read once', async () => {
  await database.query('drop index customers_search');
  expect(await scansFor(unknown(40))).toBeLessThan(20);
});
