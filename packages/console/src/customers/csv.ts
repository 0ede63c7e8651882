import type { Customer, HiddenField } from '@clientele/client';
import { guard, guardPhone, spreadsheetLine } from '@clientele/contract/spreadsheet';
import type { CsvFormat } from '../settings.ts';
import type { Language, MessageName } from '../text/messages.ts';
import type { Text } from '../text/text.ts';

/** Excel reads a file as UTF-8 only if it starts with this. */
const byteOrderMark = '\uFEFF';

const rawHead =
  'id,name,email,phone,company,verified,orders,lifetime_value,last_order_at,created_at\r\n';
const heads: MessageName[] = [
  'customer.id',
  ...(['name', 'email', 'phone', 'company', 'verified', 'orders'] as const).map(
    (column) => `column.${column}` as const,
  ),
  'column.value',
  'column.lastOrder',
  'column.since',
];

export interface CsvWriter {
  start: string;
  line: (customer: Customer) => string;
}

/** Raw for programs, with times in UTC, or as a spreadsheet in the reader's language reads it, with local times. */
export const csvWriter = (format: CsvFormat, text: Text): CsvWriter =>
  format === 'raw' ? rawWriter(text) : spreadsheetWriter(text);

function rawWriter({ currency }: Text): CsvWriter {
  const decimals = decimalsOf(currency);
  const line = (cells: readonly (string | null)[]) =>
    cells
      .map((cell) => {
        if (cell === null) return '';
        return /[",\r\n;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
      })
      .join(',');
  return {
    start: rawHead,
    line: (customer) => `${line(cellsOf(customer, decimals, rawCells))}\r\n`,
  };
}

/** Where numbers have a decimal comma, spreadsheets separate cells by semicolons. */
function spreadsheetWriter({ t, language, locale, currency }: Text): CsvWriter {
  const decimals = decimalsOf(currency);
  const point = new Intl.NumberFormat(locale).formatToParts(0.5)[1]!.value;
  const separator = point === ',' ? ';' : ',';
  const form: Cells = {
    text: guard,
    phone: guardPhone,
    hidden: t('value.hidden'),
    flag: (value) => t(value ? 'value.yes' : 'value.no'),
    time: spreadsheetTime[language],
  };
  const write = (cells: readonly (string | null)[]) => `${spreadsheetLine(cells, separator)}\r\n`;
  return {
    start: byteOrderMark + write(heads.map((name) => withUnit(t(name), name, currency))),
    line: (customer) => {
      const cells = cellsOf(customer, decimals, form);
      cells[valueCell] = cells[valueCell]!.replace('.', point);
      return write(cells);
    },
  };
}

const withUnit = (head: string, name: MessageName, currency: string): string =>
  name === 'column.value' ? `${head} (${currency})` : head;

/** How values are written. */
interface Cells {
  text: (text: string) => string;
  phone: (phone: string) => string;
  /** An empty cell would say that there is none. */
  hidden: string;
  flag: (value: boolean) => string;
  time: (time: Date) => string;
}

const plain = (text: string): string => text;
const rawCells: Cells = {
  text: plain,
  phone: plain,
  hidden: 'hidden',
  flag: String,
  time: (time) => time.toISOString(),
};

const two = (value: number): string => String(value).padStart(2, '0');
const dayOf = (time: Date): string =>
  [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
const clockOf = (time: Date): string =>
  [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');

/** Dates for a spreadsheet in this language. Where English is spoken, only a date that starts with the year has one meaning. */
const spreadsheetTime: Record<Language, (time: Date) => string> = {
  en: (time) => `${dayOf(time)} ${clockOf(time)}`,
  de: (time) => `${dayOf(time).split('-').toReversed().join('.')} ${clockOf(time)}`,
};

const valueCell = 7;

function cellsOf(customer: Customer, decimals: number, form: Cells): (string | null)[] {
  const hides = (field: HiddenField) => customer.hidden?.includes(field) ?? false;
  const minor = Math.round(customer.lifetimeValue * 100);
  return [
    customer.id,
    form.text(customer.name),
    hides('email') ? form.hidden : form.text(customer.email),
    hides('phone') ? form.hidden : customer.phone && form.phone(customer.phone),
    customer.company && form.text(customer.company),
    form.flag(customer.isVerified),
    String(customer.totalOrders),
    (minor / 10 ** decimals).toFixed(decimals),
    customer.lastOrderAt && form.time(customer.lastOrderAt),
    form.time(customer.createdAt),
  ];
}

const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits ?? 2;

/** What the list is, and the day here: `customers-garcia-2026-11-18.csv`. */
export function csvName(what: readonly string[], now = new Date()): string {
  const part = (text: string) =>
    [...text.replaceAll(/[^\p{L}\p{M}\p{N}.@+]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '')]
      .slice(0, 60)
      .join('');
  return `${[...what.map(part), dayOf(now)].filter((each) => each !== '').join('-')}.csv`;
}

export function saveCsv(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads the URL after the click, so it cannot be revoked here.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
