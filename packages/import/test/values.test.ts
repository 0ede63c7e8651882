/** Values that were once stored wrongly without a word. */
import { writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { blankCustomer, wireFields } from '@clientele/contract/customer-fields';
import { csvHeader, csvLine } from '@clientele/contract/customer-file';
import fc from 'fast-check';
import { parseDate, isFarAhead } from '@clientele/import';
import { beforeEach, describe, expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(() => database.query('truncate customers'));

type Options = Parameters<typeof importHere>[2];

async function load(content: string | Buffer, options: Partial<Options> = {}) {
  const path = folder.path('file.csv');
  await writeFile(path, content);
  const rejects = folder.path('rejected');
  return importHere(database.url, path, { batchSize: 1_000, rejects, ...options });
}

const stored = () => database.query('select full_name, email_address from customers order by uuid');
const head = 'uuid,full_name,email_address';

test.each(['+00', '+0000', '+00:00', 'Z', ' UTC+02', '-03'])(
  'a time in the year 2099 is in the future, written with %s',
  (zone) => {
    const date = parseDate(`2099-01-01 00:00:00${zone}`);
    expect(typeof date === 'string' && isFarAhead(date)).toBe(true);
  },
);

test('a time that cannot be compared counts as far ahead', () => {
  expect(isFarAhead('2099-01-01T00:00:00.0+00')).toBe(true);
});

test.each([
  ['0', undefined],
  ['946684800', '2000-01-01T00:00:00.000Z'],
  ['946684800000', '2000-01-01T00:00:00.000Z'],
  ['1700000000', '2023-11-14T22:13:20.000Z'],
  ['20250131', '2025-01-31T00:00:00.0Z'],
])('%s is a date, or is rejected', (text, expected) => {
  const date = parseDate(text);
  expect(typeof date === 'string' ? date : undefined).toBe(expected);
});

describe('quotes after spaces', () => {
  test('are quotes, if the header has them too', async () => {
    await load(
      `"uuid", "full_name", "email_address"\n"${id(1)}", "Ada, A.", "ada@mail.example" \n`,
    );
    expect(await stored()).toEqual([{ full_name: 'Ada, A.', email_address: 'ada@mail.example' }]);
  });

  test('are rejected, if it has none', async () => {
    expect(await load(`${head}\n${id(1)}, "Ada",a@mail.example\n`)).toMatchObject({ rejected: 1 });
  });
});

test('bytes that cannot be decoded are rejected, in UTF-16 too', async () => {
  const bytes = Buffer.from(
    `\uFEFF${head}\n${id(1)},Zo\uD800,a@mail.example\n${id(2)},Ok,b@mail.example\n`,
    'utf16le',
  );
  expect(await load(bytes)).toMatchObject({ inserted: 1, rejected: 1 });
  expect(await stored()).toEqual([{ full_name: 'Ok', email_address: 'b@mail.example' }]);
});

test.each(['NULL   ', '  NULL', '#N/A ', '#NOM?', '#¡VALOR!', '#RIF!', '#NAAM?'])(
  '%s is not a name',
  async (name) => {
    expect(await load(`${head}\n${id(1)},${name},a@mail.example\n`)).toMatchObject({ rejected: 1 });
  },
);

test('--null finds its text in a padded cell', async () => {
  const line = `${id(1)},Ada,a@mail.example,NULL    `;
  expect(await load(`${head},phone_number\n${line}\n`, { nulls: ['NULL'] })).toMatchObject({
    inserted: 1,
  });
  expect(await database.query('select phone_number from customers')).toEqual([
    { phone_number: null },
  ]);
});

test('an amount with the error of a float is read', async () => {
  const line = `${id(1)},Ada,a@mail.example,0.30000000000000004`;
  await load(`${head},lifetime_value\n${line}\n`);
  expect(await database.query('select lifetime_value_cents::int as cents from customers')).toEqual([
    { cents: 30 },
  ]);
});

test('a cell of more than 1 MiB inserts nobody', async () => {
  const inside = Array.from({ length: 30_000 }, () => `${id(666)},Injected,evil@mail.example`);
  const content = `${head}\n${id(1)},Ada,a@mail.example\n${id(2)},"${inside.join('\n')}",b@mail.example\n`;
  await expect(load(content)).rejects.toThrow('Line 3 has a quote that is not closed within 1 MiB');
  expect(await database.query(`select from customers where full_name = 'Injected'`)).toEqual([]);
});

test.each([
  ['in quotes', (long: string, lines: string) => `"${long}\n${lines}"`],
  ['before a cell in quotes', (long: string, lines: string) => `${long},"${lines}"`],
  ['after a broken quote', (long: string, lines: string) => `"A"${long},"${lines}"`],
])('nor does a first line of more than 1 MiB %s', async (_, cells) => {
  const inside = `\n${id(666)},Injected,evil@mail.example\n`;
  const record = `${id(2)},${cells('x'.repeat(1_200_000), inside)},b@mail.example`;
  const content = `${head}\n${record}\n${id(3)},Bob,b@mail.example\n`;
  await expect(load(content)).rejects.toThrow('Line 2 has a quote that is not closed within 1 MiB');
  expect(await stored()).toEqual([]);
});

test('without quotes, it is rejected alone', async () => {
  const content = `${head}\n${id(2)},${'x'.repeat(1_200_000)},b@mail.example\n${id(3)},Bob,b@mail.example\n`;
  expect(await load(content)).toMatchObject({ read: 2, inserted: 1, rejected: 1 });
});

test.each([
  ['an old spreadsheet', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /spreadsheet/],
  ['bzip2', Buffer.from('BZh91AY&SY'), /bzip2 -dc/],
  ['HTML', Buffer.from('<!DOCTYPE html><html>'), /HTML/],
  ['a list in an object', Buffer.from('{"data":[{"id":1}]}'), /jq -c "\.data\[\]"/],
])('%s is refused by name', async (_, content, message) => {
  await expect(load(content)).rejects.toThrow(message);
});

test('export --raw and import --raw return every value that the table accepts', async () => {
  const text = (max: number) =>
    fc
      .string({ unit: 'binary', maxLength: max })
      .filter((each) => !each.includes('\0') && each.isWellFormed());
  const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const time = fc
    .date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());
  const customer = fc
    .record({
      uuid: fc.uuid(),
      full_name: text(40),
      email_address: fc.oneof(
        text(40),
        fc.constantFrom(
          'no address',
          'a@@b',
          ' a@mail.example ',
          '\uFEFFa@mail.example',
          'a b@mail.example',
        ),
      ),
      phone_number: fc.option(text(20)),
      company_name: fc.option(text(40)),
      is_verified: fc.boolean(),
      total_orders: number,
      lifetime_value_cents: fc.oneof(
        number,
        number.map((each) => -each),
      ),
      last_order_at: fc.option(time),
      created_at: time,
    })
    .map((each) => ({ ...blankCustomer, ...each }));
  const client = await database.connect();
  const columns = wireFields.join(', ');
  const all = async (): Promise<unknown[]> =>
    (await client.query(`select ${columns} from customers order by uuid`)).rows;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(customer, { selector: ({ uuid }) => uuid, minLength: 1, maxLength: 20 }),
      async (customers) => {
        await client.query('truncate customers');
        const kept = [];
        for (const each of customers) {
          const values = Object.values(each);
          const places = values.map((_, i) => `$${i + 1}`).join(', ');
          try {
            await client.query(`insert into customers (${columns}) values (${places})`, values);
            kept.push(each);
          } catch {
            // The table does not accept it.
          }
        }
        fc.pre(kept.length > 0);
        const before = await all();
        for (const file of [
          csvHeader + kept.map((each) => csvLine(each)).join(''),
          kept.map((each) => `${JSON.stringify(each)}\n`).join(''),
        ]) {
          await client.query('truncate customers');
          expect(await load(file, { raw: true })).toMatchObject({
            inserted: kept.length,
            rejected: 0,
          });
          expect(await all()).toEqual(before);
        }
      },
    ),
    { numRuns: Number(process.env['RAW_ROUND_TRIPS'] ?? 20) },
  );
}, 600_000);
