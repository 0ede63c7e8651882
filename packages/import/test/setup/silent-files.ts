/** Files with values that mean something else than they say: each is refused, or imported with a warning. */
import { customerId as id } from '@clientele/sandbox/testing';
import { cell, lines, type DifficultFile } from './difficult-files.ts';

const head = 'uuid,full_name,email_address';
const row = (n: number, name = `Name ${n}`, email = `n${n}@mail.example`): string =>
  `${id(n)},${name},${email}`;
const object = (more: object): string =>
  JSON.stringify({ uuid: id(1), full_name: 'Name 1', email_address: 'n1@mail.example', ...more });

/** Two customers whose identifiers a spreadsheet has shortened to the same text. */
const shortened = (text: string): DifficultFile => ({
  name: `two customers with the id ${text}`,
  content: lines('Nr;Name;E-Mail', `${text};A;a@mail.example`, `${text};B;b@mail.example`),
  options: { idColumn: 'erp:Nr' },
  imported: [],
  rejects: [
    [2, 'Nr', 'spreadsheet-number'],
    [3, 'Nr', 'spreadsheet-number'],
  ],
});

const numbers: DifficultFile[] = [
  shortened('1.23457E+11'),
  shortened('4,9E+12'),
  shortened('1e+21'),
  shortened('12345678.0'),
  ...['4.9E+12', '4,93055E+12', '49E+11', '4930555010.0'].map((value) =>
    cell('phone_number', value, { rule: 'spreadsheet-number' }),
  ),
  {
    name: 'ids that only look like scientific notation',
    content: lines('Nr;Name;E-Mail', '12e5;A;a@mail.example', '7E3;B;b@mail.example'),
    options: { idColumn: 'erp:Nr' },
    imported: ['A', 'B'],
  },
  {
    name: 'a JSON number with three decimals is not ambiguous',
    content: lines(object({ lifetime_value: 1.234 })),
    imported: [],
    rejects: [[1, 'lifetime_value', 'amount']],
  },
  {
    name: 'a JSON number with decimals',
    content: lines(object({ lifetime_value: 1234.5 })),
    imported: ['Name 1'],
    as: { lifetime_value_cents: 123_450 },
  },
];

const spreadsheets: DifficultFile[] = [
  {
    ...cell('phone_number', '="0151"', { as: '0151' }),
    warns: [/1 value in "phone_number" was written as ="…".*line 2/],
  },
  {
    name: 'a wrapped id',
    content: lines('Nr;Name;E-Mail', '="007";A;a@mail.example', '007;B;b@mail.example'),
    options: { idColumn: 'erp:Nr' },
    imported: ['B'],
    warns: [/1 value in "Nr" was written as ="…"/],
  },
  ...['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NV', '#BEZUG!', '#WERT!'].map((value) =>
    cell('company_name', value, { rule: 'spreadsheet-error' }),
  ),
  cell('phone_number', '#N/A', { rule: 'spreadsheet-error' }),
  cell('created_at', '#VALUE!', { rule: 'spreadsheet-error' }),
  cell('company_name', '#1 Cleaners', { as: '#1 Cleaners' }),
  {
    name: 'an error cell as the id',
    content: lines('Nr;Name;E-Mail', '#N/A;A;a@mail.example', '#N/A;B;b@mail.example'),
    options: { idColumn: 'erp:Nr' },
    imported: [],
    rejects: [
      [2, 'Nr', 'spreadsheet-error'],
      [3, 'Nr', 'spreadsheet-error'],
    ],
  },
  cell('phone_number', "'+49 151 0", { as: '+49 151 0' }),
  cell('company_name', "'=Equal", { as: '=Equal' }),
  cell('company_name', "'@Home", { as: '@Home' }),
  cell('company_name', "'s-Gravenhage BV", { as: "'s-Gravenhage BV" }),
  cell('phone_number', "'0151 0", { as: '0151 0' }),
];

const nulls: DifficultFile[] = [
  ...['NULL', 'null', String.raw`\N`, '(null)', '<null>', 'NaN', 'None', 'undefined'].map((value) =>
    cell('company_name', value, { rule: 'null-word' }),
  ),
  {
    name: 'a null word as name, id and phone',
    content: lines(
      'Nr;Name;E-Mail;Phone',
      'NULL;A;a@mail.example;',
      String.raw`2;\N;b@mail.example;`,
      '3;C;c@mail.example;NULL',
      '4;Jennifer Null;d@mail.example;',
    ),
    options: { idColumn: 'erp:Nr' },
    imported: ['Jennifer Null'],
    rejects: [
      [2, 'Nr', 'null-word'],
      [3, 'Name', 'null-word'],
      [4, 'Phone', 'null-word'],
    ],
  },
  {
    ...cell('company_name', 'NULL', { as: null }),
    name: 'company_name = "NULL" with --null NULL',
    options: { nulls: ['NULL'] },
  },
  {
    ...cell('company_name', 'NULL', { as: 'NULL' }),
    name: 'company_name = "NULL" with --raw',
    options: { raw: true },
  },
];

const amounts: DifficultFile[] = [
  {
    name: 'amounts in two currencies',
    content: lines(`${head},ltv`, `${row(1)},12.50 EUR`, `${row(2)},USD 12.50`, `${row(3)},$7.00`),
    imported: ['Name 1'],
    rejects: [
      [3, 'ltv', 'currency'],
      [4, 'ltv', 'currency'],
    ],
  },
  {
    name: 'a symbol and a code of one currency',
    content: lines(`${head},ltv`, `${row(1)},€ 12.50`, `${row(2)},12.50 EUR`, `${row(3)},7.00`),
    imported: ['Name 1', 'Name 2', 'Name 3'],
  },
  {
    name: 'a column that names the currency',
    content: lines(`${head},ltv,Currency`, `${row(1)},12.50,eur`, `${row(2)},12.50,usd`),
    imported: ['Name 1'],
    rejects: [[3, 'Currency', 'currency']],
  },
  {
    name: 'amounts in another currency than --currency',
    content: lines(`${head},ltv`, `${row(1)},12.50 EUR`, `${row(2)},12.50 CHF`),
    options: { currency: 'CHF' },
    imported: ['Name 2'],
    rejects: [[2, 'ltv', 'currency']],
  },
  {
    name: 'amounts with decimals mapped to cents',
    content: lines(`${head},Umsatz`, `${row(1)},13`, `${row(2)},12.50`),
    options: { map: { Umsatz: 'lifetime_value_cents' } },
    refused: /"Umsatz" is not in cents: line 3 .*--map Umsatz=lifetime_value$/s,
  },
  {
    name: 'whole amounts mapped to cents',
    content: lines(`${head},Umsatz`, `${row(1)},13`, `${row(2)},99`),
    options: { map: { Umsatz: 'lifetime_value_cents' } },
    imported: ['Name 1', 'Name 2'],
    warns: [/"Umsatz" is read as cents, so 13 is 0\.13.*--map Umsatz=lifetime_value/s],
  },
];

const times: DifficultFile[] = [
  {
    ...cell('created_at', '2026-01-31 12:00', { as: '2026-01-31T12:00:00.000Z' }),
    warns: [/1 time in "created_at" has no time zone and was read as UTC.*--timezone/s],
  },
  {
    ...cell('created_at', '2026-01-31T12:00:00Z', { as: '2026-01-31T12:00:00.000Z' }),
    name: 'a time in UTC needs no warning',
  },
  ...(
    [
      ['2026-01-31 12:00', '2026-01-31T11:00:00.000Z', 'in winter'],
      ['2025-07-31 12:00', '2025-07-31T10:00:00.000Z', 'in summer'],
      ['2026-03-29 01:59', '2026-03-29T00:59:00.000Z', 'before the clock moves forward'],
      ['2026-03-29 02:30', '2026-03-29T01:30:00.000Z', 'that does not exist'],
      ['2026-03-29 03:00', '2026-03-29T01:00:00.000Z', 'after the clock moved forward'],
      ['2025-10-26 02:30', '2025-10-26T00:30:00.000Z', 'that exists twice'],
      ['2025-10-26 03:00', '2025-10-26T02:00:00.000Z', 'after the clock moved back'],
      ['31.01.2026', '2026-01-30T23:00:00.000Z', 'of a day alone'],
      ['2026-01-31 12:00 UTC', '2026-01-31T12:00:00.000Z', 'with its own zone'],
    ] as const
  ).map(([value, as, when]): DifficultFile => ({
    ...cell('created_at', value, { as }),
    name: `a time in Berlin ${when}`,
    options: { timeZone: 'Europe/Berlin' },
  })),
  cell('created_at', '2126-01-31', { rule: 'date-future' }),
  cell('last_order_at', '31.01.2099', { rule: 'date-future' }),
];

const text: DifficultFile[] = [
  {
    name: 'a line break in a name',
    content: lines(head, `${id(1)},"Line one\nline two",a@mail.example`, row(2)),
    imported: ['Name 2'],
    rejects: [[2, 'full_name', 'line-break']],
  },
  {
    name: 'a line break in a phone number of JSON',
    content: lines(object({ phone_number: '1\n2' })),
    imported: [],
    rejects: [[1, 'phone_number', 'line-break']],
  },
  {
    name: 'an unclosed quote that swallows rows into a name',
    content: lines(head, `${id(1)},"Jane,a@mail.example`, row(2), `${id(3)},Jo",c@mail.example`),
    imported: [],
    rejects: [[2, 'full_name', 'line-break']],
    explains: /lines 2 to 4 are one record/,
  },
  {
    name: 'an unclosed quote that swallows rows into an unused column',
    content: lines(
      `${head},Note`,
      `${row(1)},"call`,
      `${row(2)},`,
      `${row(3)},back"`,
      `${row(4)},`,
    ),
    imported: ['Name 4'],
    rejects: [[2, 'Note', 'line-break']],
    explains: /lines 2 to 4 are one record/,
  },
  {
    name: 'a note of several lines is not a swallowed row',
    content: lines(`${head},Note`, `${row(1)},"call, write,\nthen, visit"`, `${row(2)},`),
    imported: ['Name 1', 'Name 2'],
  },
  {
    name: 'names, companies and phones with spaces around',
    content: lines(
      `${head},company_name,phone_number`,
      `${row(1, ' Jane  Doe\u00a0')},  Acme ,"\t030 5550100 "`,
    ),
    imported: ['Jane  Doe'],
    as: { company_name: 'Acme', phone_number: '030 5550100' },
  },
  {
    name: 'e-mail addresses as ids in upper and lower case',
    content: lines('Name,E-Mail', 'Ada,Ada@mail.example', 'Ada L.,ada@MAIL.example'),
    options: { idColumn: 'E-Mail' },
    imported: ['Ada L.'],
  },
  {
    name: 'lines that end in CR CR LF',
    content: lines(head, row(1), `${id(2)},Name 2,"n2@mail.example"`).replaceAll('\n', '\r\r\n'),
    imported: ['Name 1', 'Name 2'],
  },
  ...[
    { phone: '030 1', mobile: '0151 1' },
    { mobile: '0151 1', phone: '030 1' },
  ].map((given): DifficultFile => ({
    name: `JSON with ${Object.keys(given).join(' and ')}`,
    content: lines(object(given)),
    imported: ['Name 1'],
    as: { phone_number: '030 1' },
  })),
  {
    name: 'Phone before Mobile',
    content: lines(`${head},Mobile,Phone`, `${row(1)},0151 1,030 1`),
    imported: ['Name 1'],
    as: { phone_number: '030 1' },
  },
  {
    name: 'a header twice in unused columns',
    content: lines(`${head},Note,Note`, `${row(1)},a,b`),
    imported: ['Name 1'],
  },
  {
    name: 'two phone numbers in one cell',
    content: lines(`${head},phone`, `${row(1)},030 1 ::: 0151 1`),
    imported: ['Name 1'],
    as: { phone_number: '030 1' },
    warns: [/1 value in "phone" has several parts.*first/],
  },
];

export const silentFiles: DifficultFile[] = [
  ...numbers,
  ...spreadsheets,
  ...nulls,
  ...amounts,
  ...times,
  ...text,
];
