/** Files as people, programs and accidents make them, and what must become of each. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Rule, type Field } from '@clientele/import';
import { customerId as id } from '@clientele/sandbox/testing';

export interface NastyFile {
  name: string;
  content: string | Buffer;
  options?: {
    map?: Record<string, Field>;
    idColumn?: string;
    dates?: 'dmy' | 'mdy';
    delimiter?: string;
    columns?: string[];
    encoding?: string;
  };
  /** Names of who lands, in any order. */
  lands?: string[];
  /** What one customer looks like in the end. */
  as?: Record<string, unknown>;
  /** Every reject: line, column, rule. */
  rejects?: [line: number, column: string, rule: Rule][];
  /** Nothing is read: why, in words. */
  refused?: RegExp;
  /** Refused at a point where some of it was written already. */
  partly?: boolean;
}

const head = 'uuid,full_name,email_address';
const row = (n: number, name = `Name ${n}`, email = `n${n}@mail.example`): string =>
  `${id(n)},${name},${email}`;
const three = [head, row(1), row(2), row(3)];
const names = ['Name 1', 'Name 2', 'Name 3'];
const lines = (...parts: string[]): string => `${parts.join('\n')}\n`;
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** One more column, one customer: a value, and how it lands or why it does not. */
const cell = (
  column: string,
  value: string,
  landing: { as?: unknown; rule?: Rule },
): NastyFile => ({
  name: `${column} = ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`,
  content: lines(
    `${head};${column}`.replaceAll(',', ';'),
    `${row(1)};${value}`.replaceAll(',', ';'),
  ).replace(`;${value.replaceAll(',', ';')}\n`, `;${value}\n`),
  ...(landing.rule
    ? { lands: [], rejects: [[2, column, landing.rule]] }
    : {
        lands: ['Name 1'],
        as: { [column === 'lifetime_value' ? 'lifetime_value_cents' : column]: landing.as },
      }),
});
const lands = (column: string, value: string, as: unknown): NastyFile =>
  cell(column, value, { as });
const fails = (column: string, value: string, rule: Rule): NastyFile =>
  cell(column, value, { rule });

const forms: NastyFile[] = [
  { name: 'LF', content: lines(...three), lands: names },
  { name: 'CRLF', content: lines(...three).replaceAll('\n', '\r\n'), lands: names },
  { name: 'CR only', content: lines(...three).replaceAll('\n', '\r'), lands: names },
  { name: 'no line end at the end', content: lines(...three).trimEnd(), lands: names },
  { name: 'BOM', content: `\uFEFF${lines(...three)}`, lands: names },
  {
    name: 'BOM and CRLF',
    content: `\uFEFF${lines(...three)}`.replaceAll('\n', '\r\n'),
    lands: names,
  },
  {
    name: 'BOM and a quoted header',
    content: `\uFEFF"uuid","full_name","email_address"\n${row(1)}\n`,
    lands: ['Name 1'],
  },
  {
    name: 'UTF-16LE with BOM',
    content: Buffer.from(`\uFEFF${lines(...three)}`, 'utf16le'),
    lands: names,
  },
  {
    name: 'UTF-16BE with BOM',
    content: Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be(lines(...three))]),
    lands: names,
  },
  { name: 'UTF-16LE without BOM', content: Buffer.from(lines(...three), 'utf16le'), lands: names },
  { name: 'UTF-16BE without BOM', content: utf16be(lines(...three)), lands: names },
  { name: 'semicolons', content: lines(...three).replaceAll(',', ';'), lands: names },
  { name: 'tabs', content: lines(...three).replaceAll(',', '\t'), lands: names },
  { name: 'bars', content: lines(...three).replaceAll(',', '|'), lands: names },
  {
    name: 'carets, told',
    content: lines(...three).replaceAll(',', '^'),
    options: { delimiter: '^' },
    lands: names,
  },
  {
    name: "a spreadsheet's sep line",
    content: `sep=;\r\n${lines(...three).replaceAll(',', ';')}`,
    lands: names,
  },
  {
    name: 'semicolons with commas inside',
    content: lines('uuid;full_name;email_address', `${id(1)};Doe, Jane;j@mail.example`),
    lands: ['Doe, Jane'],
  },
  { name: 'gzip', content: gzipSync(lines(...three)), lands: names },
  {
    name: 'gzip of two members',
    content: Buffer.concat([gzipSync(lines(head, row(1))), gzipSync(lines(row(2)))]),
    lands: ['Name 1', 'Name 2'],
  },
  { name: 'Zstandard', content: zstdCompressSync(lines(...three)), lands: names },
  {
    name: 'gzip of UTF-16',
    content: gzipSync(
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(lines(...three), 'utf16le')]),
    ),
    lands: names,
  },
  {
    name: 'gzip cut off',
    content: gzipSync(lines(...three)).subarray(0, 60),
    refused: /damaged or cut off/,
  },
  {
    name: 'Zstandard of two frames',
    content: Buffer.concat([
      zstdCompressSync(lines(head, row(1))),
      zstdCompressSync(lines(row(2))),
    ]),
    lands: ['Name 1', 'Name 2'],
  },
  {
    name: 'a long Zstandard cut off',
    content: zstdCompressSync(
      lines(head, ...Array.from({ length: 30_000 }, (_, i) => row(i))),
    ).subarray(0, -9),
    refused: /damaged or cut off/,
    partly: true,
  },
  {
    name: 'Zstandard cut off',
    content: zstdCompressSync(lines(...three)).subarray(0, 40),
    refused: /damaged or cut off/,
  },
  {
    name: 'windows-1252, told',
    content: bytes(`${head}\n${id(1)},Ren`, [0xe9], ',r@mail.example\n'),
    options: { encoding: 'windows-1252' },
    lands: ['René'],
  },
  {
    name: 'Shift JIS, told',
    content: bytes(`${head}\n${id(1)},`, [0x8e, 0x52, 0x93, 0x63], ',r@mail.example\n'),
    options: { encoding: 'shift_jis' },
    lands: ['山田'],
  },
  {
    name: 'windows-1252, not told',
    content: bytes(`${head}\n${id(1)},Ren`, [0xe9], `,r@mail.example\n${row(2)}\n`),
    lands: ['Name 2'],
    rejects: [[2, 'full_name', 'utf8']],
  },
  { name: 'empty', content: '', refused: /empty/ },
  { name: 'blank', content: '\n\n  \n', refused: /empty/ },
  { name: 'a header only', content: `${head}\n`, lands: [] },
  { name: 'a BOM only', content: '\uFEFF', refused: /empty/ },
  {
    name: 'a spreadsheet',
    content: bytes([0x50, 0x4b, 3, 4, 20, 0, 6, 0]),
    refused: /spreadsheet/,
  },
  { name: 'a JSON array', content: '[{"uuid":"x"}]', refused: /one JSON array/ },
  {
    name: 'noise',
    content: Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919 + 13) % 251)),
    refused: /./,
  },
];

const structure: NastyFile[] = [
  {
    name: 'blank lines between',
    content: lines(head, '', row(1), '', '', row(2)),
    lands: ['Name 1', 'Name 2'],
  },
  {
    name: "a spreadsheet's empty rows",
    content: lines(head, row(1), ',,', ',,'),
    lands: ['Name 1'],
  },
  {
    name: 'a row too short',
    content: lines(head, `${id(1)},Name 1`, row(2)),
    lands: ['Name 2'],
    rejects: [[2, '', 'columns']],
  },
  {
    name: 'a row too long',
    content: lines(head, `${row(1)},more`, row(2)),
    lands: ['Name 2'],
    rejects: [[2, '', 'columns']],
  },
  {
    name: 'a comma after each row and not the header',
    content: lines(head, `${row(1)},`, `${row(2)},`),
    lands: [],
    rejects: [
      [2, '', 'columns'],
      [3, '', 'columns'],
    ],
  },
  {
    name: 'a comma after each row and the header',
    content: lines(`${head},`, `${row(1)},`, `${row(2)},`),
    lands: ['Name 1', 'Name 2'],
  },
  {
    name: 'quotes around everything',
    content: lines(
      ...three.map((line) =>
        line
          .split(',')
          .map((part) => `"${part}"`)
          .join(','),
      ),
    ),
    lands: names,
  },
  {
    name: 'a quote over lines',
    content: lines(head, `${id(1)},"Line one\nline two",a@mail.example`, row(2, '')),
    lands: ['Line one\nline two'],
    rejects: [[4, 'full_name', 'required']],
  },
  {
    name: 'a quote over CRLF lines',
    content: lines(head, `${id(1)},"One\r\ntwo",a@mail.example`, row(2, '')).replaceAll(
      /(?<!\r)\n/g,
      '\r\n',
    ),
    lands: ['One\r\ntwo'],
    rejects: [[4, 'full_name', 'required']],
  },
  {
    name: 'doubled quotes',
    content: lines(head, `${id(1)},"Jane ""JJ"" Doe",a@mail.example`),
    lands: ['Jane "JJ" Doe'],
  },
  {
    name: 'nothing but a quoted quote',
    content: lines(head, `${id(1)},"""",a@mail.example`),
    lands: ['"'],
  },
  {
    name: 'a quoted delimiter',
    content: lines(head, `${id(1)},"Doe, Jane",a@mail.example`),
    lands: ['Doe, Jane'],
  },
  {
    name: 'a quote inside a cell',
    content: lines(head, `${id(1)},Jane "JJ" Doe,a@mail.example`),
    lands: ['Jane "JJ" Doe'],
  },
  {
    name: 'text after a closing quote',
    content: lines(head, `${id(1)},"Jane" Doe,a@mail.example`, row(2)),
    lands: ['Name 2'],
    rejects: [[2, '', 'quote']],
  },
  {
    name: 'a quote that is not closed',
    content: lines(head, `${id(1)},"Jane Doe,a@mail.example`, row(2), row(3)),
    lands: ['Name 2', 'Name 3'],
    rejects: [[2, '', 'quote']],
  },
  {
    name: 'a quote not closed before a closed one',
    content: lines(head, `${id(1)},"Jane,a@mail.example`, row(2, '"Jo, Ann"'), row(3)),
    lands: ['Jo, Ann', 'Name 3'],
    rejects: [[2, '', 'quote']],
  },
  {
    name: 'a quote not closed on the last line',
    content: `${head}\n${row(1)}\n${id(2)},"x`,
    lands: ['Name 1'],
    rejects: [[3, '', 'quote']],
  },
  {
    name: 'a quote not closed for megabytes',
    content: lines(
      head,
      `${id(1)},"Jane,a@mail.example`,
      ...Array.from({ length: 40 }, () => `,,${'x'.repeat(50_000)}`),
      row(2),
    ),
    lands: ['Name 2'],
    rejects: [
      [2, '', 'quote'],
      ...Array.from({ length: 40 }, (_, i): [number, string, Rule][] => [
        [i + 3, 'uuid', 'required'],
        [i + 3, 'full_name', 'required'],
        [i + 3, 'email_address', 'too-long'],
      ]).flat(),
    ],
  },
  {
    name: 'a huge line',
    content: lines(head, row(1), `${id(2)},${'x'.repeat(3_000_000)},b@mail.example`, row(3)),
    lands: ['Name 1', 'Name 3'],
    rejects: [[3, '', 'record-too-long']],
  },
  {
    name: 'a huge line at the end',
    content: `${head}\n${row(1)}\n${'x'.repeat(3_000_000)}`,
    lands: ['Name 1'],
    rejects: [[3, '', 'record-too-long']],
  },
  { name: 'a huge header', content: `${'x,'.repeat(100_000)}\n`, refused: /./ },
  {
    name: 'NUL in a cell',
    content: lines(head, row(1, 'Na\0me'), row(2)),
    lands: ['Name 2'],
    rejects: [[2, 'full_name', 'nul']],
  },
  {
    name: 'NUL in a quoted cell',
    content: lines(head, row(1, '"Na\0me"'), row(2)),
    lands: ['Name 2'],
    rejects: [[2, 'full_name', 'nul']],
  },
  {
    name: 'broken UTF-8 in the e-mail',
    content: bytes(`${head}\n${id(1)},Jane,a`, [0xc3, 0x28], `@mail.example\n${row(2)}\n`),
    lands: ['Name 2'],
    rejects: [[2, 'email_address', 'utf8']],
  },
  {
    name: 'a cut-off character at the end',
    content: bytes(`${head}\n${row(1)}\n${id(2)},Jane,x@mail.example`, [0xe2, 0x82]),
    lands: ['Name 1'],
    rejects: [[3, 'email_address', 'utf8']],
  },
  {
    name: 'a surrogate in UTF-8',
    content: bytes(`${head}\n${id(1)},Ja`, [0xed, 0xa0, 0x80], `,a@mail.example\n`),
    lands: [],
    rejects: [[2, 'full_name', 'utf8']],
  },
  {
    name: 'a replacement character that is meant',
    content: lines(head, row(1, 'Ja\uFFFDne')),
    lands: ['Ja\uFFFDne'],
  },
  {
    name: 'backslashes and tabs',
    content: lines(head, row(1, '"a\\b\tc\\N\\."')),
    lands: ['a\\b\tc\\N\\.'],
  },
  {
    name: 'COPY’s end marker',
    content: lines(head, row(1, '\\.'), row(2, '\\N')),
    lands: ['\\.', '\\N'],
  },
  {
    name: 'emoji, right-to-left, combining',
    content: lines(head, row(1, '👩‍👩‍👧 עברית é')),
    lands: ['👩‍👩‍👧 עברית é'],
  },
  {
    name: 'duplicates: the last wins',
    content: lines(head, row(1, 'Old'), row(2), row(1, 'New')),
    lands: ['New', 'Name 2'],
  },
  {
    name: 'duplicates by case of the UUID',
    content: lines(
      head,
      `${id(1).replace('4000', 'A00A')},Old,a@mail.example`,
      `${id(1).replace('4000', 'a00a')},New,a@mail.example`,
    ),
    lands: ['New'],
  },
  {
    name: 'a newer duplicate first',
    content: lines(
      `${head},updated_at`,
      `${row(1, 'New')},2026-02-01`,
      `${row(1, 'Old')},2026-01-01`,
    ),
    lands: ['New'],
  },
  {
    name: 'all faults of a record at once',
    content: lines(`${head},created_at`, `${row(1)},2026-01-31`, 'x,,nobody,yesterday'),
    lands: ['Name 1'],
    rejects: [
      [3, 'uuid', 'uuid'],
      [3, 'full_name', 'required'],
      [3, 'email_address', 'email'],
      [3, 'created_at', 'date'],
    ],
  },
];

const headers: NastyFile[] = [
  {
    name: 'other case and spaces',
    content: lines('UUID, Full Name ,E-Mail Address', row(1)),
    lands: ['Name 1'],
  },
  { name: 'camel case', content: lines('uuid,fullName,emailAddress', row(1)), lands: ['Name 1'] },
  { name: 'common names', content: lines('Customer ID,Name,E-mail', row(1)), lands: ['Name 1'] },
  {
    name: 'in two parts',
    content: lines(
      'id,First Name,Last Name,Email',
      `${id(1)},Jane,Doe,j@mail.example`,
      `${id(2)},,Cher,c@mail.example`,
      `${id(3)},,,n@mail.example`,
    ),
    lands: ['Jane Doe', 'Cher'],
    rejects: [[4, 'full_name', 'required']],
  },
  {
    name: 'last part first',
    content: lines('id,Nachname,Vorname,Email', `${id(1)},Doe,Jane,j@mail.example`),
    lands: ['Jane Doe'],
  },
  {
    name: 'a column twice',
    content: lines('uuid,full_name,email_address,full_name', `${row(1)},x`),
    refused: /names "full_name" twice/,
  },
  {
    name: 'two columns for a field',
    content: lines('uuid,full_name,email,mail', `${row(1)},x`),
    refused: /both look like email_address.*--map mail=email_address/,
  },
  {
    name: 'two columns for a field, one chosen',
    content: lines('uuid,full_name,email,mail', `${id(1)},Jane,,j@mail.example`),
    options: { map: { mail: 'email_address' } },
    lands: ['Jane'],
  },
  {
    name: 'our name beside a common one',
    content: lines('uuid,full_name,name,email_address', `${id(1)},Jane Doe,JD,j@mail.example`),
    lands: ['Jane Doe'],
  },
  {
    name: 'a slip',
    content: lines('uuid,fulll_name,email_address', row(1)),
    refused: /is it "fulll_name"\? Say which: --map fulll_name=full_name/,
  },
  { name: 'no header', content: lines(row(1), row(2)), refused: /looks like a customer/ },
  {
    name: 'no header, columns told',
    content: lines(row(1), row(2)),
    options: { columns: ['uuid', 'full_name', 'email_address'] },
    lands: ['Name 1', 'Name 2'],
  },
  { name: 'no UUID', content: lines('name,email', 'Jane,j@mail.example'), refused: /--id-column/ },
  {
    name: 'numbers for a UUID',
    content: lines('id,name,email', '17,Jane,j@mail.example'),
    refused: /"id" does not hold UUIDs.*--id-column "id"/s,
  },
  {
    name: 'numbers for a UUID, derived',
    content: lines(
      'id,name,email',
      '17,Jane,j@mail.example',
      ' 17 ,Jane D.,j@mail.example',
      ',Nobody,n@mail.example',
    ),
    options: { idColumn: 'id' },
    lands: ['Jane D.'],
    rejects: [[4, 'id', 'required']],
  },
  {
    name: 'e-mail for a UUID',
    content: lines('name,email', 'Jane,j@mail.example', 'Jo,jo@mail.example'),
    options: { idColumn: 'email' },
    lands: ['Jane', 'Jo'],
  },
  {
    name: 'no column of ours',
    content: lines('a,b,c', '1,2,3'),
    refused: /No column looks like full_name.*The columns found: "a", "b", "c"/s,
  },
  {
    name: 'a mapped column that is not there',
    content: lines(...three),
    options: { map: { naem: 'full_name' } },
    refused: /no column "naem"/,
  },
];

const values: NastyFile[] = [
  ...[
    '2026-01-31',
    '2026-01-31T00:00:00Z',
    '2026-01-31 00:00:00+00',
    '2026/01/31',
    '31.01.2026',
    '31.1.2026 00:00',
    '31/01/2026',
    '01/31/2026',
    '31-01-2026',
    '1/31/2026 12:00 AM',
    '2026-01-31T01:00:00+01:00',
    '2026-01-31T00:00:00.000000Z',
    '1769817600',
    '1769817600000',
    '1769817600000000',
  ].map((value) => lands('created_at', value, '2026-01-31T00:00:00.000Z')),
  ...[
    '2026-02-30',
    '31.02.2026',
    '2026-13-01',
    '2025-02-29',
    '2026-01-31T24:00:00Z',
    '2026-01-31T10:60',
    '13:00 2026-01-31',
    '0000-01-01',
  ].map((value) => fails('created_at', value, /^\d\d:/.test(value) ? 'date' : 'date-range')),
  ...['yesterday', '31.01.26', '45678', '2026', '20260131', 'infinity', '2026-W05'].map((value) =>
    fails('last_order_at', value, 'date'),
  ),
  fails('created_at', '03/04/2026', 'date-ambiguous'),
  {
    ...lands('created_at', '03/04/2026', '2026-04-03T00:00:00.000Z'),
    name: 'dmy',
    options: { dates: 'dmy' },
  },
  {
    ...lands('created_at', '03/04/2026', '2026-03-04T00:00:00.000Z'),
    name: 'mdy',
    options: { dates: 'mdy' },
  },
  lands('created_at', '05/05/2026', '2026-05-05T00:00:00.000Z'),
  lands('last_order_at', '', null),
  ...(
    [
      '1234.56',
      '1234,56',
      '1.234,56',
      '1,234.56',
      '1 234,56',
      '1\u202f234,56',
      '1’234.56',
      '€ 1.234,56',
      '1.234,56 €',
      '$1,234.56',
      '+1234.56',
      '1234.560',
    ] as const
  ).map((value) => lands('lifetime_value', value, 123_456)),
  ...['-1.234,56', '−1234.56', '-1234,56'].map((value) => lands('lifetime_value', value, -123_456)),
  ...['1.234', '1,234', '999,999'].map((value) =>
    fails('lifetime_value', value, 'number-ambiguous'),
  ),
  ...['1.234,567', '12,34,56', '1e3', 'abc', '12.345.6', '--1', '0.123', '(12.50)', '12 34'].map(
    (value) => fails('lifetime_value', value, 'amount'),
  ),
  lands('lifetime_value', '1.234.567', 123_456_700),
  lands('lifetime_value', '12,5', 1_250),
  lands('total_orders', '12', 12),
  lands('total_orders', '12.0', 12),
  lands('total_orders', '1.234.567', 1_234_567),
  lands('total_orders', '1 234', 1_234),
  lands('total_orders', '', 0),
  fails('total_orders', '1.234', 'number-ambiguous'),
  fails('total_orders', '-1', 'number-range'),
  fails('total_orders', '12.5', 'whole-number'),
  fails('total_orders', '9007199254740993', 'number-range'),
  fails('total_orders', '1e3', 'whole-number'),
  fails('total_orders', '#REF!', 'whole-number'),
  fails('lifetime_value_cents', '1.234,56', 'whole-number'),
  lands('lifetime_value_cents', '-500', -500),
  ...['TRUE', 'Yes', '1', 'WAHR', 'vrai', 'ja', ' y '].map((value) =>
    lands('is_verified', value, true),
  ),
  ...['false', 'NO', '0', 'FALSCH', 'faux', ''].map((value) => lands('is_verified', value, false)),
  ...['maybe', '2', '-1'].map((value) => fails('is_verified', value, 'boolean')),
  lands('phone_number', '', null),
  lands('phone_number', '""', ''),
  lands('phone_number', '+49 (0)30 555-0100', '+49 (0)30 555-0100'),
  fails('phone_number', '1'.repeat(65), 'too-long'),
  fails('company_name', 'é'.repeat(301), 'too-long'),
  lands('company_name', '😀'.repeat(300), '😀'.repeat(300)),
  fails('company_name', '😀'.repeat(301), 'too-long'),
];

const people: NastyFile[] = [
  {
    name: 'UUIDs in other forms',
    content: lines(
      head,
      `{${id(1)}},A,a@mail.example`,
      `${id(2).replaceAll('-', '')},B,b@mail.example`,
      ` ${id(3).toUpperCase()} ,C,c@mail.example`,
    ),
    lands: ['A', 'B', 'C'],
  },
  {
    name: 'UUIDs that are none',
    content: lines(
      head,
      row(1),
      ...[`${id(2)}0`, id(3).slice(1), 'g'.repeat(32), ''].map(
        (wrong) => `${wrong},X,x@mail.example`,
      ),
    ),
    lands: ['Name 1'],
    rejects: [
      [3, 'uuid', 'uuid'],
      [4, 'uuid', 'uuid'],
      [5, 'uuid', 'uuid'],
      [6, 'uuid', 'required'],
    ],
  },
  {
    name: 'names that nobody sees',
    content: lines(head, row(1, ' '), row(2, '\u00a0\u3000'), row(3, '\u200b'), row(4, '"\t"')),
    lands: [],
    rejects: [2, 3, 4, 5].map((line) => [line, 'full_name', 'required']),
  },
  {
    name: 'names too long',
    content: lines(head, row(1, 'n'.repeat(300)), row(2, 'n'.repeat(301))),
    lands: ['n'.repeat(300)],
    rejects: [[3, 'full_name', 'too-long']],
  },
  {
    name: 'e-mails',
    content: lines(
      head,
      row(1, 'A', ' a@mail.example '),
      row(2, 'B', 'b@localhost'),
      row(3, 'C', 'mail.example'),
      row(4, 'D', 'a b@mail.example'),
      row(5, 'E', '@mail.example'),
      row(6, 'F', 'f@'),
      row(7, 'G', `${'g'.repeat(320)}@mail.example`),
      row(8, 'H', 'ü@bücher.example'),
    ),
    lands: ['A', 'B', 'H'],
    rejects: [
      [4, 'email_address', 'email'],
      [5, 'email_address', 'email'],
      [6, 'email_address', 'email'],
      [7, 'email_address', 'email'],
      [8, 'email_address', 'too-long'],
    ],
  },
  {
    name: 'formulas are text',
    content: lines(head, row(1, '=cmd|x'), row(2, '@SUM(A1)')),
    lands: ['=cmd|x', '@SUM(A1)'],
  },
  {
    name: 'what SQL would make of it',
    content: lines(head, row(1, "Robert'); drop table customers;--")),
    lands: ["Robert'); drop table customers;--"],
  },
  {
    name: 'a German spreadsheet',
    content:
      `\uFEFF${lines('Kundennr;Name;E-Mail;Umsatz;Letzte Bestellung;Geprüft', '10-1;"Müller; Söhne";m@mail.example;1.234,56;31.01.2026;WAHR', '10-2;Groß;g@mail.example;0,00;;FALSCH')}`.replaceAll(
        '\n',
        '\r\n',
      ),
    options: {
      idColumn: 'Kundennr',
      map: {
        Umsatz: 'lifetime_value',
        'Letzte Bestellung': 'last_order_at',
        Geprüft: 'is_verified',
      },
    },
    lands: ['Müller; Söhne', 'Groß'],
  },
  {
    name: 'a French spreadsheet',
    content: lines('Id;Nom;Prénom;Email;Dépense', 'a1;Dupont;Zoé;z@mail.example;1\u202f234,50 €'),
    options: { idColumn: 'Id', map: { Dépense: 'lifetime_value' } },
    lands: ['Zoé Dupont'],
    as: { lifetime_value_cents: 123_450 },
  },
  {
    name: 'an American spreadsheet',
    content: lines(
      'Id,Name,Email,Spent,Created',
      'a1,Jo,j@mail.example,"$1,234.50",1/31/2026 1:05:00 PM',
    ),
    options: { idColumn: 'Id', map: { Spent: 'lifetime_value' } },
    lands: ['Jo'],
    as: { lifetime_value_cents: 123_450, created_at: '2026-01-31T13:05:00.000Z' },
  },
  {
    name: 'a Swiss spreadsheet',
    content: lines('Id;Name;Email;Umsatz', "a1;Jo;j@mail.example;1'234.50"),
    options: { idColumn: 'Id', map: { Umsatz: 'lifetime_value' } },
    lands: ['Jo'],
    as: { lifetime_value_cents: 123_450 },
  },
];

const object = (n: number, more: object = {}): string =>
  JSON.stringify({
    uuid: id(n),
    full_name: `Name ${n}`,
    email_address: `n${n}@mail.example`,
    ...more,
  });

const ndjson: NastyFile[] = [
  { name: 'NDJSON', content: lines(object(1), object(2)), lands: ['Name 1', 'Name 2'] },
  {
    name: 'NDJSON with BOM, CRLF and blank lines',
    content: `\uFEFF${lines(object(1), '', object(2))}`.replaceAll('\n', '\r\n'),
    lands: ['Name 1', 'Name 2'],
  },
  {
    name: 'NDJSON, not JSON',
    content: lines(object(1), '{"uuid":', 'x', object(2)),
    lands: ['Name 1', 'Name 2'],
    rejects: [
      [2, '', 'json'],
      [3, '', 'json'],
    ],
  },
  {
    name: 'NDJSON, not objects',
    content: lines(object(1), '[]', '"x"', 'null', '17'),
    lands: ['Name 1'],
    rejects: [2, 3, 4, 5].map((line) => [line, '', 'not-an-object']),
  },
  {
    name: 'NDJSON, wrong types',
    content: lines(
      object(1, { phone_number: { a: 1 } }),
      object(2, { company_name: [] }),
      object(3, { total_orders: '12', is_verified: 1, phone_number: 4_930_555_010 }),
    ),
    lands: ['Name 3'],
    rejects: [
      [1, 'phone_number', 'type'],
      [2, 'company_name', 'type'],
    ],
  },
  {
    name: 'NDJSON, null and absent',
    content: lines(
      object(1, { full_name: null }),
      '{"uuid":"x"}',
      `{"uuid":"${id(3)}","full_name":"x"}`,
    ),
    lands: [],
    rejects: [
      [1, 'full_name', 'required'],
      [2, 'uuid', 'uuid'],
      [3, 'email_address', 'required'],
    ],
  },
  {
    name: 'NDJSON, NUL and half a character',
    content: lines(
      object(1, { full_name: 'a\0b' }),
      `{"uuid":"${id(2)}","full_name":"\\ud800","email_address":"a@b"}`,
    ),
    lands: [],
    rejects: [
      [1, 'full_name', 'nul'],
      [2, 'full_name', 'utf8'],
    ],
  },
  {
    name: 'NDJSON, numbers beyond exactness',
    content: lines(object(1, { total_orders: 2 ** 60 }), object(2, { lifetime_value_cents: 1.5 })),
    lands: [],
    rejects: [
      [1, 'total_orders', 'number-range'],
      [2, 'lifetime_value_cents', 'whole-number'],
    ],
  },
  {
    name: 'NDJSON, a huge line',
    content: lines(object(1), object(2, { note: 'x'.repeat(3_000_000) }), object(3)),
    lands: ['Name 1', 'Name 3'],
    rejects: [[2, '', 'record-too-long']],
  },
  {
    name: 'NDJSON, broken UTF-8',
    content: bytes(`${object(1)}\n{"uuid":"`, [0xff], `"}\n`),
    lands: ['Name 1'],
    rejects: [[2, '', 'utf8']],
  },
  {
    name: 'NDJSON, a record that leaves out what one before says',
    content: lines(object(1, { phone_number: '030 5550100' }), object(1, { full_name: 'New' })),
    lands: ['New'],
    as: { phone_number: '030 5550100' },
  },
  {
    name: 'NDJSON, __proto__',
    content: lines(
      `{"__proto__":{"uuid":1},"uuid":"${id(1)}","full_name":"P","email_address":"p@mail.example"}`,
    ),
    lands: ['P'],
  },
  {
    name: 'NDJSON, an op in a file',
    content: lines(object(1), object(2, { op: 'delete' })),
    lands: ['Name 1'],
    rejects: [[2, 'op', 'op']],
  },
];

export const nastyFiles: NastyFile[] = [
  ...forms,
  ...structure,
  ...headers,
  ...values,
  ...people,
  ...ndjson,
];
