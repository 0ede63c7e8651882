/** Files as people and programs write them, valid or damaged, and the expected result of importing each. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { customerId as id } from '@clientele/sandbox/testing';
import type { Rule } from '../../src/faults.ts';
import type { Field } from '../../src/fields.ts';

export interface DifficultFile {
  name: string;
  content: string | Buffer;
  options?: {
    map?: Record<string, Field | 'ignore'>;
    idColumn?: string;
    dates?: 'dmy' | 'mdy';
    delimiter?: string;
    columns?: string[];
    encoding?: string;
    timeZone?: string;
    nulls?: string[];
    currency?: string;
    nameFromEmail?: boolean;
    raw?: boolean;
  };
  /** Names of the imported customers, in any order. */
  imported?: string[];
  /** Columns of one imported customer. */
  as?: Record<string, unknown>;
  /** Every reject: line, column, rule. */
  rejects?: [line: number, column: string, rule: Rule][];
  /** What the reject file says about one of them. */
  explains?: RegExp;
  /** Every warning. */
  warns?: RegExp[];
  /** The message of the error, if the import fails. */
  refused?: RegExp;
  /** The import fails after some records were written. */
  partly?: boolean;
}

const head = 'uuid,full_name,email_address';
const row = (n: number, name = `Name ${n}`, email = `n${n}@mail.example`): string =>
  `${id(n)},${name},${email}`;
const three = [head, row(1), row(2), row(3)];
const names = ['Name 1', 'Name 2', 'Name 3'];
export const lines = (...parts: string[]): string => `${parts.join('\n')}\n`;
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** A file with one customer and one more column: its imported value, or the rule that rejects it. */
export const cell = (
  column: string,
  value: string,
  outcome: { as?: unknown; rule?: Rule },
): DifficultFile => ({
  name: `${column} = ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`,
  content: lines(
    `${head};${column}`.replaceAll(',', ';'),
    `${row(1)};${value}`.replaceAll(',', ';'),
  ).replace(`;${value.replaceAll(',', ';')}\n`, `;${value}\n`),
  ...(outcome.rule
    ? { imported: [], rejects: [[2, column, outcome.rule]] }
    : {
        imported: ['Name 1'],
        as: { [column === 'lifetime_value' ? 'lifetime_value_cents' : column]: outcome.as },
      }),
});
const accepted = (column: string, value: string, as: unknown): DifficultFile =>
  cell(column, value, { as });
const rejected = (column: string, value: string, rule: Rule): DifficultFile =>
  cell(column, value, { rule });

const forms: DifficultFile[] = [
  { name: 'LF', content: lines(...three), imported: names },
  { name: 'CRLF', content: lines(...three).replaceAll('\n', '\r\n'), imported: names },
  { name: 'CR only', content: lines(...three).replaceAll('\n', '\r'), imported: names },
  { name: 'no line end at the end', content: lines(...three).trimEnd(), imported: names },
  { name: 'BOM', content: `\uFEFF${lines(...three)}`, imported: names },
  {
    name: 'BOM and CRLF',
    content: `\uFEFF${lines(...three)}`.replaceAll('\n', '\r\n'),
    imported: names,
  },
  {
    name: 'BOM and a quoted header',
    content: `\uFEFF"uuid","full_name","email_address"\n${row(1)}\n`,
    imported: ['Name 1'],
  },
  {
    name: 'UTF-16LE with BOM',
    content: Buffer.from(`\uFEFF${lines(...three)}`, 'utf16le'),
    imported: names,
  },
  {
    name: 'UTF-16BE with BOM',
    content: Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be(lines(...three))]),
    imported: names,
  },
  {
    name: 'UTF-16LE without BOM',
    content: Buffer.from(lines(...three), 'utf16le'),
    imported: names,
  },
  { name: 'UTF-16BE without BOM', content: utf16be(lines(...three)), imported: names },
  { name: 'semicolons', content: lines(...three).replaceAll(',', ';'), imported: names },
  { name: 'tabs', content: lines(...three).replaceAll(',', '\t'), imported: names },
  { name: 'bars', content: lines(...three).replaceAll(',', '|'), imported: names },
  {
    name: 'carets, with --delimiter',
    content: lines(...three).replaceAll(',', '^'),
    options: { delimiter: '^' },
    imported: names,
  },
  {
    name: "a spreadsheet's sep line",
    content: `sep=;\r\n${lines(...three).replaceAll(',', ';')}`,
    imported: names,
  },
  {
    name: 'semicolons with commas inside',
    content: lines('uuid;full_name;email_address', `${id(1)};Doe, Jane;j@mail.example`),
    imported: ['Doe, Jane'],
  },
  { name: 'gzip', content: gzipSync(lines(...three)), imported: names },
  {
    name: 'gzip of two members',
    content: Buffer.concat([gzipSync(lines(head, row(1))), gzipSync(lines(row(2)))]),
    imported: ['Name 1', 'Name 2'],
  },
  { name: 'Zstandard', content: zstdCompressSync(lines(...three)), imported: names },
  {
    name: 'gzip of UTF-16',
    content: gzipSync(
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(lines(...three), 'utf16le')]),
    ),
    imported: names,
  },
  {
    name: 'truncated gzip',
    content: gzipSync(lines(...three)).subarray(0, 60),
    refused: /damaged or truncated/,
  },
  {
    name: 'Zstandard of two frames',
    content: Buffer.concat([
      zstdCompressSync(lines(head, row(1))),
      zstdCompressSync(lines(row(2))),
    ]),
    imported: ['Name 1', 'Name 2'],
  },
  {
    name: 'truncated long Zstandard',
    content: zstdCompressSync(
      lines(head, ...Array.from({ length: 30_000 }, (_, i) => row(i))),
    ).subarray(0, -9),
    refused: /damaged or truncated/,
    partly: true,
  },
  {
    name: 'truncated Zstandard',
    content: zstdCompressSync(lines(...three)).subarray(0, 40),
    refused: /damaged or truncated/,
  },
  {
    name: 'windows-1252, with --encoding',
    content: bytes(`${head}\n${id(1)},Ren`, [0xe9], ',r@mail.example\n'),
    options: { encoding: 'windows-1252' },
    imported: ['René'],
  },
  {
    name: 'Shift JIS, with --encoding',
    content: bytes(`${head}\n${id(1)},`, [0x8e, 0x52, 0x93, 0x63], ',r@mail.example\n'),
    options: { encoding: 'shift_jis' },
    imported: ['山田'],
  },
  {
    name: 'windows-1252 without --encoding',
    content: bytes(`${head}\n${id(1)},Ren`, [0xe9], `,r@mail.example\n${row(2)}\n`),
    imported: ['Name 2'],
    rejects: [[2, 'full_name', 'utf8']],
  },
  { name: 'empty', content: '', refused: /empty/ },
  { name: 'blank', content: '\n\n  \n', refused: /empty/ },
  { name: 'only a header', content: `${head}\n`, imported: [] },
  { name: 'only a BOM', content: '\uFEFF', refused: /empty/ },
  {
    name: 'a spreadsheet',
    content: bytes([0x50, 0x4b, 3, 4, 20, 0, 6, 0]),
    refused: /spreadsheet/,
  },
  { name: 'a JSON array', content: '[{"uuid":"x"}]', refused: /one JSON array/ },
  {
    name: 'random bytes',
    content: Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919 + 13) % 251)),
    refused: /./,
  },
];

const structure: DifficultFile[] = [
  {
    name: 'blank lines between records',
    content: lines(head, '', row(1), '', '', row(2)),
    imported: ['Name 1', 'Name 2'],
  },
  {
    name: "a spreadsheet's empty rows",
    content: lines(head, row(1), ',,', ',,'),
    imported: ['Name 1'],
  },
  {
    name: 'a row too short',
    content: lines(head, `${id(1)},Name 1`, row(2)),
    imported: ['Name 2'],
    rejects: [[2, '', 'columns']],
  },
  {
    name: 'a row too long',
    content: lines(head, `${row(1)},more`, row(2)),
    imported: ['Name 2'],
    rejects: [[2, '', 'columns']],
  },
  {
    name: 'a trailing comma in each row but not in the header',
    content: lines(head, `${row(1)},`, `${row(2)},`),
    imported: [],
    rejects: [
      [2, '', 'columns'],
      [3, '', 'columns'],
    ],
  },
  {
    name: 'a trailing comma in each row and in the header',
    content: lines(`${head},`, `${row(1)},`, `${row(2)},`),
    imported: ['Name 1', 'Name 2'],
  },
  {
    name: 'every cell quoted',
    content: lines(
      ...three.map((line) =>
        line
          .split(',')
          .map((part) => `"${part}"`)
          .join(','),
      ),
    ),
    imported: names,
  },
  {
    name: 'a quoted cell with a line break',
    content: lines(`${head},Note`, `${row(1)},"Line one\nline two"`, `${row(2, '')},`),
    imported: ['Name 1'],
    rejects: [[4, 'full_name', 'required']],
  },
  {
    name: 'a quoted cell with a CRLF line break',
    content: lines(`${head},Note`, `${row(1)},"One\r\ntwo"`, `${row(2, '')},`).replaceAll(
      /(?<!\r)\n/g,
      '\r\n',
    ),
    imported: ['Name 1'],
    rejects: [[4, 'full_name', 'required']],
  },
  {
    name: 'doubled quotes',
    content: lines(head, `${id(1)},"Jane ""JJ"" Doe",a@mail.example`),
    imported: ['Jane "JJ" Doe'],
  },
  {
    name: 'a cell that is one escaped quote',
    content: lines(head, `${id(1)},"""",a@mail.example`),
    imported: ['"'],
  },
  {
    name: 'a quoted delimiter',
    content: lines(head, `${id(1)},"Doe, Jane",a@mail.example`),
    imported: ['Doe, Jane'],
  },
  {
    name: 'a quote inside a cell',
    content: lines(head, `${id(1)},Jane "JJ" Doe,a@mail.example`),
    imported: ['Jane "JJ" Doe'],
  },
  {
    name: 'text after a closing quote',
    content: lines(head, `${id(1)},"Jane" Doe,a@mail.example`, row(2)),
    imported: ['Name 2'],
    rejects: [[2, 'full_name', 'quote']],
  },
  {
    name: 'an unclosed quote',
    content: lines(head, `${id(1)},"Jane Doe,a@mail.example`, row(2), row(3)),
    imported: ['Name 2', 'Name 3'],
    rejects: [[2, 'full_name', 'quote']],
  },
  {
    name: 'an unclosed quote before a quoted cell',
    content: lines(head, `${id(1)},"Jane,a@mail.example`, row(2, '"Jo, Ann"'), row(3)),
    imported: ['Jo, Ann', 'Name 3'],
    rejects: [[2, 'full_name', 'quote']],
  },
  {
    name: 'an unclosed quote on the last line',
    content: `${head}\n${row(1)}\n${id(2)},"x`,
    imported: ['Name 1'],
    rejects: [[3, 'full_name', 'quote']],
  },
  {
    name: 'an unclosed quote before megabytes of data',
    content: lines(
      head,
      `${id(1)},"Jane,a@mail.example`,
      ...Array.from({ length: 40 }, () => `,,${'x'.repeat(50_000)}`),
      row(2),
    ),
    refused: /Line 2 has a quote that is not closed within 1 MiB/,
  },
  {
    name: 'a huge line',
    content: lines(head, row(1), `${id(2)},${'x'.repeat(3_000_000)},b@mail.example`, row(3)),
    imported: ['Name 1', 'Name 3'],
    rejects: [[3, '', 'record-too-long']],
  },
  {
    name: 'a huge line at the end',
    content: `${head}\n${row(1)}\n${'x'.repeat(3_000_000)}`,
    imported: ['Name 1'],
    rejects: [[3, '', 'record-too-long']],
  },
  { name: 'a huge header', content: `${'x,'.repeat(100_000)}\n`, refused: /./ },
  {
    name: 'NUL in a cell',
    content: lines(head, row(1, 'Na\0me'), row(2)),
    imported: ['Name 2'],
    rejects: [[2, 'full_name', 'nul']],
  },
  {
    name: 'NUL in a quoted cell',
    content: lines(head, row(1, '"Na\0me"'), row(2)),
    imported: ['Name 2'],
    rejects: [[2, 'full_name', 'nul']],
  },
  {
    name: 'invalid UTF-8 in the e-mail address',
    content: bytes(`${head}\n${id(1)},Jane,a`, [0xc3, 0x28], `@mail.example\n${row(2)}\n`),
    imported: ['Name 2'],
    rejects: [[2, 'email_address', 'utf8']],
  },
  {
    name: 'an incomplete character at the end',
    content: bytes(`${head}\n${row(1)}\n${id(2)},Jane,x@mail.example`, [0xe2, 0x82]),
    imported: ['Name 1'],
    rejects: [[3, 'email_address', 'utf8']],
  },
  {
    name: 'a surrogate in UTF-8',
    content: bytes(`${head}\n${id(1)},Ja`, [0xed, 0xa0, 0x80], `,a@mail.example\n`),
    imported: [],
    rejects: [[2, 'full_name', 'utf8']],
  },
  {
    name: 'a valid replacement character',
    content: lines(head, row(1, 'Ja\uFFFDne')),
    imported: ['Ja\uFFFDne'],
  },
  {
    name: 'backslashes and tabs',
    content: lines(head, row(1, '"a\\b\tc\\N\\."')),
    imported: ['a\\b\tc\\N\\.'],
  },
  {
    name: 'COPY’s end marker',
    content: lines(head, row(1, '\\.'), row(2, 'x\\N')),
    imported: ['\\.', 'x\\N'],
  },
  {
    name: 'emoji, right-to-left and combining characters',
    content: lines(head, row(1, '👩‍👩‍👧 עברית é')),
    imported: ['👩‍👩‍👧 עברית é'],
  },
  {
    name: 'duplicates: the last wins',
    content: lines(head, row(1, 'Old'), row(2), row(1, 'New')),
    imported: ['New', 'Name 2'],
  },
  {
    name: 'duplicates whose UUIDs differ in case',
    content: lines(
      head,
      `${id(1).replace('4000', 'A00A')},Old,a@mail.example`,
      `${id(1).replace('4000', 'a00a')},New,a@mail.example`,
    ),
    imported: ['New'],
  },
  {
    name: 'duplicates: a newer record before an older one',
    content: lines(
      `${head},updated_at`,
      `${row(1, 'New')},2026-02-01`,
      `${row(1, 'Old')},2026-01-01`,
    ),
    imported: ['New'],
  },
  {
    name: 'several faults in one record',
    content: lines(`${head},created_at`, `${row(1)},2026-01-31`, 'x,,nobody,yesterday'),
    imported: ['Name 1'],
    rejects: [
      [3, 'uuid', 'uuid'],
      [3, 'full_name', 'required'],
      [3, 'email_address', 'email'],
      [3, 'created_at', 'date'],
    ],
  },
];

const headers: DifficultFile[] = [
  {
    name: 'a windows-1252 header',
    content: bytes('uuid;Pr', [0xe9], `nom;Nom;E-Mail\n${id(1)};A;B;a@mail.example\n`),
    refused: /line 1 is not UTF-8.*column 2.*--encoding windows-1252/s,
  },
  {
    name: 'an unclosed quote in the header',
    content: lines('uuid,"full_name,email_address', row(1)),
    refused: /line 1 has an unclosed quote/,
  },
  {
    name: '--map X=ignore',
    content: lines(`${head},Company`, `${row(1)},x`),
    options: { map: { Company: 'ignore' } },
    imported: ['Name 1'],
    as: { company_name: null },
  },
  {
    name: 'no name, with --name-from-email',
    content: lines('uuid,email', `${id(1)},jane@mail.example`),
    options: { nameFromEmail: true },
    imported: ['jane@mail.example'],
  },
  {
    name: 'no name',
    content: lines('uuid,email', `${id(1)},jane@mail.example`),
    refused: /No column matches full_name.*add: --name-from-email/s,
  },
  {
    name: 'some subscribers without a name, with --name-from-email',
    content: lines(
      'uuid,email,First Name,Last Name',
      `${id(1)},jane@mail.example,,`,
      `${id(2)},jo@mail.example,Jo,`,
    ),
    options: { nameFromEmail: true },
    imported: ['jane@mail.example', 'Jo'],
    warns: [/1 customer has no name in "First Name" and is listed by e-mail address \(on line 2\)/],
  },
  {
    name: 'a header with other case and spaces',
    content: lines('UUID, Full Name ,E-Mail Address', row(1)),
    imported: ['Name 1'],
  },
  {
    name: 'a header in camel case',
    content: lines('uuid,fullName,emailAddress', row(1)),
    imported: ['Name 1'],
  },
  {
    name: 'a header with common synonyms',
    content: lines('Customer ID,Name,E-mail', row(1)),
    imported: ['Name 1'],
  },
  {
    name: 'first and last name in two columns',
    content: lines(
      'id,First Name,Last Name,Email',
      `${id(1)},Jane,Doe,j@mail.example`,
      `${id(2)},,Cher,c@mail.example`,
      `${id(3)},,,n@mail.example`,
    ),
    imported: ['Jane Doe', 'Cher'],
    rejects: [[4, 'full_name', 'required']],
  },
  {
    name: 'last name before first name',
    content: lines('id,Nachname,Vorname,Email', `${id(1)},Doe,Jane,j@mail.example`),
    imported: ['Jane Doe'],
  },
  {
    name: 'a column twice',
    content: lines('uuid,full_name,email_address,full_name', `${row(1)},x`),
    refused: /two columns named "full_name"/,
  },
  {
    name: 'two columns for a field',
    content: lines('uuid,full_name,email,mail', `${row(1)},x`),
    refused: /both look like email_address.*--map mail=email_address/,
  },
  {
    name: 'two columns for a field, one chosen with --map',
    content: lines('uuid,full_name,email,mail', `${id(1)},Jane,,j@mail.example`),
    options: { map: { mail: 'email_address' } },
    imported: ['Jane'],
  },
  {
    name: 'an exact column name next to a synonym',
    content: lines('uuid,full_name,name,email_address', `${id(1)},Jane Doe,JD,j@mail.example`),
    imported: ['Jane Doe'],
  },
  {
    name: 'a typo in the header',
    content: lines('uuid,fulll_name,email_address', row(1)),
    refused: /Is it "fulll_name"\? Then add: --map fulll_name=full_name/,
  },
  { name: 'no header', content: lines(row(1), row(2)), refused: /looks like a customer/ },
  {
    name: 'no header, with --columns',
    content: lines(row(1), row(2)),
    options: { columns: ['uuid', 'full_name', 'email_address'] },
    imported: ['Name 1', 'Name 2'],
  },
  {
    name: 'no UUID',
    content: lines('name,email', 'Jane,j@mail.example'),
    refused: /add: --id-column email\n/,
  },
  {
    name: 'no UUID, but a customer number',
    content: lines('Name,E-Mail,Kunden-Nr.', 'Jane,j@mail.example,17'),
    refused: /add: --id-column SYSTEM:Kunden-Nr\.\n/,
  },
  {
    name: 'numbers instead of UUIDs',
    content: lines('id,name,email', '17,Jane,j@mail.example'),
    refused: /"id" does not contain UUIDs.*--id-column SYSTEM:id\n/s,
  },
  {
    name: 'UUIDs derived from numbers',
    content: lines(
      'id,name,email',
      '17,Jane,j@mail.example',
      ' 17 ,Jane D.,j@mail.example',
      ',Nobody,n@mail.example',
    ),
    options: { idColumn: 'shop:id' },
    imported: ['Jane D.'],
    rejects: [[4, 'id', 'required']],
  },
  {
    name: 'UUIDs derived from e-mail addresses',
    content: lines('name,email', 'Jane,j@mail.example', 'Jo,jo@mail.example'),
    options: { idColumn: 'email' },
    imported: ['Jane', 'Jo'],
  },
  {
    name: 'no known column',
    content: lines('a,b,c', '1,2,3'),
    refused: /No column matches full_name.*Columns in the file: "a", "b", "c"/s,
  },
  {
    name: '--map of a column that does not exist',
    content: lines(...three),
    options: { map: { naem: 'full_name' } },
    refused: /no column "naem"/,
  },
];

const values: DifficultFile[] = [
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
    'Jan 31, 2026',
    'January 31 2026',
    'Jan 31, 2026, 12:00 AM',
    '31 Jan 2026',
    '31-Jan-26',
    '31. Januar 2026',
    '31 janv. 2026',
    '31 de enero de 2026',
    'Sat, 31 Jan 2026 01:00:00 +0100',
    'Sat Jan 31 2026 01:00:00 GMT+0100',
    '31.01.26',
    '1769817600',
    '1769817600000',
    '1769817600000000',
  ].map((value) => accepted('created_at', value, '2026-01-31T00:00:00.000Z')),
  ...[
    '2026-02-30',
    '31.02.2026',
    '2026-13-01',
    '2025-02-29',
    '2026-01-31T24:00:00Z',
    '2026-01-31T10:60',
    '13:00 2026-01-31',
    '0000-01-01',
  ].map((value) => rejected('created_at', value, /^\d\d:/.test(value) ? 'date' : 'date-range')),
  ...['yesterday', '45678', '2026', '20261331x', 'infinity', '2026-W05'].map((value) =>
    rejected('last_order_at', value, 'date'),
  ),
  rejected('created_at', '03/04/2026', 'date-ambiguous'),
  ...['31/01/26', '26/01/31', '01-31-26'].map((value) =>
    rejected('created_at', value, 'date-ambiguous'),
  ),
  ...['31 Foo 2026', 'Mai, 2026', '31 Jan'].map((value) => rejected('created_at', value, 'date')),
  rejected('created_at', '31 Feb 2026', 'date-range'),
  {
    ...accepted('created_at', '31/01/26', '2026-01-31T00:00:00.000Z'),
    name: 'created_at = "31/01/26" with --dates dmy',
    options: { dates: 'dmy' },
  },
  {
    ...accepted('created_at', '03/04/2026', '2026-04-03T00:00:00.000Z'),
    name: 'created_at = "03/04/2026" with --dates dmy',
    options: { dates: 'dmy' },
  },
  {
    ...accepted('created_at', '03/04/2026', '2026-03-04T00:00:00.000Z'),
    name: 'created_at = "03/04/2026" with --dates mdy',
    options: { dates: 'mdy' },
  },
  accepted('created_at', '05/05/2026', '2026-05-05T00:00:00.000Z'),
  accepted('last_order_at', '', null),
  accepted('last_order_at', '20260131', '2026-01-31T00:00:00.000Z'),
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
      'USD 1,234.56',
      '1.234,56 EUR',
      'eur 1234,56',
      'CHF 1’234.56',
      '1 234,56 kr',
      '1 234,56 zł',
      'US$1,234.56',
    ] as const
  ).map((value) => accepted('lifetime_value', value, 123_456)),
  ...[
    '-1.234,56',
    '−1234.56',
    '-1234,56',
    '-$1,234.56',
    '$-1,234.56',
    '-1.234,56 €',
    'USD -1234.56',
  ].map((value) => accepted('lifetime_value', value, -123_456)),
  ...['1.234', '1,234', '999,999'].map((value) =>
    rejected('lifetime_value', value, 'number-ambiguous'),
  ),
  ...[
    '$5 USD',
    '-$-5',
    '5 XYZ',
    'EUR',
    '1.234,567',
    '12,34,56',
    '1e3',
    'abc',
    '12.345.6',
    '--1',
    '0.123',
    '(12.50)',
    '12 34',
  ].map((value) => rejected('lifetime_value', value, 'amount')),
  accepted('lifetime_value', '1.234.567', 123_456_700),
  accepted('lifetime_value', '12,5', 1_250),
  accepted('total_orders', '12', 12),
  accepted('total_orders', '12.0', 12),
  accepted('total_orders', '1.234.567', 1_234_567),
  accepted('total_orders', '1 234', 1_234),
  accepted('total_orders', '', 0),
  rejected('total_orders', '1.234', 'number-ambiguous'),
  rejected('total_orders', '-1', 'number-range'),
  rejected('total_orders', '12.5', 'whole-number'),
  rejected('total_orders', '9007199254740993', 'number-range'),
  rejected('total_orders', '1e3', 'whole-number'),
  rejected('total_orders', '#REF!', 'spreadsheet-error'),
  rejected('lifetime_value_cents', '1.234,56', 'whole-number'),
  accepted('lifetime_value_cents', '-500', -500),
  ...['TRUE', 'Yes', '1', 'WAHR', 'vrai', 'ja', ' y '].map((value) =>
    accepted('is_verified', value, true),
  ),
  ...['false', 'NO', '0', 'FALSCH', 'faux', ''].map((value) =>
    accepted('is_verified', value, false),
  ),
  ...['maybe', '2', '-1'].map((value) => rejected('is_verified', value, 'boolean')),
  accepted('phone_number', '', null),
  accepted('phone_number', '""', ''),
  accepted('phone_number', '+49 (0)30 555-0100', '+49 (0)30 555-0100'),
  rejected('phone_number', '1'.repeat(65), 'too-long'),
  rejected('company_name', 'é'.repeat(301), 'too-long'),
  accepted('company_name', '😀'.repeat(300), '😀'.repeat(300)),
  rejected('company_name', '😀'.repeat(301), 'too-long'),
];

const people: DifficultFile[] = [
  {
    name: 'UUIDs in other formats',
    content: lines(
      head,
      `{${id(1)}},A,a@mail.example`,
      `${id(2).replaceAll('-', '')},B,b@mail.example`,
      ` ${id(3).toUpperCase()} ,C,c@mail.example`,
    ),
    imported: ['A', 'B', 'C'],
  },
  {
    name: 'invalid UUIDs',
    content: lines(
      head,
      row(1),
      ...[`${id(2)}0`, id(3).slice(1), 'g'.repeat(32), ''].map(
        (wrong) => `${wrong},X,x@mail.example`,
      ),
    ),
    imported: ['Name 1'],
    rejects: [
      [3, 'uuid', 'uuid'],
      [4, 'uuid', 'uuid'],
      [5, 'uuid', 'uuid'],
      [6, 'uuid', 'required'],
    ],
  },
  {
    name: 'invisible names',
    content: lines(head, row(1, ' '), row(2, '\u00a0\u3000'), row(3, '\u200b'), row(4, '"\t"')),
    imported: [],
    rejects: [2, 3, 4, 5].map((line) => [line, 'full_name', 'required']),
  },
  {
    name: 'names that are too long',
    content: lines(head, row(1, 'n'.repeat(300)), row(2, 'n'.repeat(301))),
    imported: ['n'.repeat(300)],
    rejects: [[3, 'full_name', 'too-long']],
  },
  {
    name: 'valid and invalid e-mail addresses',
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
    imported: ['A', 'B', 'H'],
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
    imported: ['=cmd|x', '@SUM(A1)'],
  },
  {
    name: 'SQL in a name',
    content: lines(head, row(1, "Robert'); drop table customers;--")),
    imported: ["Robert'); drop table customers;--"],
  },
  {
    name: 'a German spreadsheet',
    content:
      `\uFEFF${lines('Kundennr;Name;E-Mail;Umsatz;Letzte Bestellung;Geprüft', '10-1;"Müller; Söhne";m@mail.example;1.234,56;31.01.2026;WAHR', '10-2;Groß;g@mail.example;0,00;;FALSCH')}`.replaceAll(
        '\n',
        '\r\n',
      ),
    options: {
      idColumn: 'erp:Kundennr',
      map: {
        Umsatz: 'lifetime_value',
        'Letzte Bestellung': 'last_order_at',
        Geprüft: 'is_verified',
      },
    },
    imported: ['Müller; Söhne', 'Groß'],
  },
  {
    name: 'a French spreadsheet',
    content: lines('Id;Nom;Prénom;Email;Dépense', 'a1;Dupont;Zoé;z@mail.example;1\u202f234,50 €'),
    options: { idColumn: 'erp:Id', map: { Dépense: 'lifetime_value' } },
    imported: ['Zoé Dupont'],
    as: { lifetime_value_cents: 123_450 },
  },
  {
    name: 'an American spreadsheet',
    content: lines(
      'Id,Name,Email,Spent,Created',
      'a1,Jo,j@mail.example,"$1,234.50",1/31/2026 1:05:00 PM',
    ),
    options: { idColumn: 'erp:Id', map: { Spent: 'lifetime_value' } },
    imported: ['Jo'],
    as: { lifetime_value_cents: 123_450, created_at: '2026-01-31T13:05:00.000Z' },
  },
  {
    name: 'a Swiss spreadsheet',
    content: lines('Id;Name;Email;Umsatz', "a1;Jo;j@mail.example;1'234.50"),
    options: { idColumn: 'erp:Id', map: { Umsatz: 'lifetime_value' } },
    imported: ['Jo'],
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

const ndjson: DifficultFile[] = [
  {
    name: 'NDJSON with nested values, mapped by path',
    content: lines(
      object(1, {
        company: { name: 'Acme', size: 5 },
        phones: [{ value: '030 1' }, { value: '2' }],
      }),
      object(2, { company: null, phones: [] }),
      object(3, { company: {} }),
    ),
    options: { map: { 'company.name': 'company_name', 'phones.0.value': 'phone_number' } },
    imported: ['Name 1', 'Name 2'],
    rejects: [[3, 'company', 'type']],
  },
  {
    name: 'NDJSON with a nested value that is ignored',
    content: lines(object(1, { company: { name: 'Acme' } })),
    options: { map: { company: 'ignore' } },
    imported: ['Name 1'],
  },
  {
    name: 'NDJSON without an identifier',
    content: lines('{"name":"Jane","email":"j@mail.example","customer_no":17}'),
    refused: /add: --id-column SYSTEM:customer_no\n/,
  },
  {
    name: 'JSON over several lines',
    content: JSON.stringify({ data: [{ uuid: id(1) }] }, null, 2),
    refused: /jq -c/,
  },
  { name: 'NDJSON', content: lines(object(1), object(2)), imported: ['Name 1', 'Name 2'] },
  {
    name: 'NDJSON with BOM, CRLF and blank lines',
    content: `\uFEFF${lines(object(1), '', object(2))}`.replaceAll('\n', '\r\n'),
    imported: ['Name 1', 'Name 2'],
  },
  {
    name: 'NDJSON with lines that are not JSON',
    content: lines(object(1), '{"uuid":', 'x', object(2)),
    imported: ['Name 1', 'Name 2'],
    rejects: [
      [2, '', 'json'],
      [3, '', 'json'],
    ],
    explains: /line 2: is not valid JSON \(at character 9\) \(json\)/,
  },
  {
    name: 'NDJSON with lines that are not objects',
    content: lines(object(1), '[]', '"x"', 'null', '17'),
    imported: ['Name 1'],
    rejects: [2, 3, 4, 5].map((line) => [line, '', 'not-an-object']),
  },
  {
    name: 'NDJSON with wrong types',
    content: lines(
      object(1, { phone_number: { a: 1 } }),
      object(2, { company_name: [] }),
      object(3, { total_orders: '12', is_verified: 1, phone_number: 4_930_555_010 }),
    ),
    imported: ['Name 3'],
    rejects: [
      [1, 'phone_number', 'type'],
      [2, 'company_name', 'type'],
    ],
  },
  {
    name: 'NDJSON with null and missing keys',
    content: lines(
      object(1, { full_name: null }),
      '{"uuid":"x"}',
      `{"uuid":"${id(3)}","full_name":"x"}`,
    ),
    imported: [],
    rejects: [
      [1, 'full_name', 'required'],
      [2, 'uuid', 'uuid'],
      [3, 'email_address', 'required'],
    ],
  },
  {
    name: 'NDJSON with NUL and an unpaired surrogate',
    content: lines(
      object(1, { full_name: 'a\0b' }),
      `{"uuid":"${id(2)}","full_name":"\\ud800","email_address":"a@b"}`,
    ),
    imported: [],
    rejects: [
      [1, 'full_name', 'nul'],
      [2, 'full_name', 'utf8'],
    ],
  },
  {
    name: 'NDJSON with numbers that cannot be represented exactly',
    content: lines(object(1, { total_orders: 2 ** 60 }), object(2, { lifetime_value_cents: 1.5 })),
    imported: [],
    rejects: [
      [1, 'total_orders', 'number-range'],
      [2, 'lifetime_value_cents', 'whole-number'],
    ],
  },
  {
    name: 'NDJSON with a huge line',
    content: lines(object(1), object(2, { note: 'x'.repeat(3_000_000) }), object(3)),
    imported: ['Name 1', 'Name 3'],
    rejects: [[2, '', 'record-too-long']],
  },
  {
    name: 'NDJSON with invalid UTF-8',
    content: bytes(`${object(1)}\n{"uuid":"`, [0xff], `"}\n`),
    imported: ['Name 1'],
    rejects: [[2, '', 'utf8']],
  },
  {
    name: 'NDJSON with a record that omits a field of an earlier one',
    content: lines(object(1, { phone_number: '030 5550100' }), object(1, { full_name: 'New' })),
    imported: ['New'],
    as: { phone_number: '030 5550100' },
  },
  {
    name: 'NDJSON with __proto__',
    content: lines(
      `{"__proto__":{"uuid":1},"uuid":"${id(1)}","full_name":"P","email_address":"p@mail.example"}`,
    ),
    imported: ['P'],
  },
  {
    name: 'NDJSON file with an op',
    content: lines(object(1), object(2, { op: 'delete' })),
    imported: ['Name 1'],
    rejects: [[2, 'op', 'op']],
  },
];

export const difficultFiles: DifficultFile[] = [
  ...forms,
  ...structure,
  ...headers,
  ...values,
  ...people,
  ...ndjson,
];
