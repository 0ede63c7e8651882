import type { Customer } from '@clientele/client';
import { guard, guardPhone, spreadsheetLine } from '@clientele/contract/spreadsheet';
import type { CsvFormat } from '../settings.ts';
import type { Language } from '../text/messages.ts';
import type { Text } from '../text/text.ts';
import { columns, isHidden, type Column, type ColumnName } from './columns.tsx';
import type { Kind, Values } from './kinds.tsx';

/** Excel reads a file as UTF-8 only if it starts with this. */
const byteOrderMark = '\uFEFF';

/** First what identifies a customer, as `clientele export` writes it. Last what is never empty: see `spreadsheetLine`. */
const places: Partial<Record<ColumnName, number>> = {
  id: -4,
  name: -3,
  email: -2,
  phone: -1,
  createdAt: 1,
};
const placeOf = ({ name }: Column): number => places[name] ?? 0;
const csvColumns = columns
  .filter(({ csv }) => csv !== false)
  .toSorted((one, other) => placeOf(one) - placeOf(other));

const rawHead = csvColumns.map(
  ({ name, csv }) => csv || name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

export interface CsvWriter {
  start: string;
  line: (customer: Customer) => string;
}

/** Raw for programs, with times in UTC, or as a spreadsheet in the reader's language reads it, with local times. */
export const csvWriter = (format: CsvFormat, text: Text): CsvWriter =>
  format === 'raw' ? rawWriter(text) : spreadsheetWriter(text);

function rawWriter({ currency }: Text): CsvWriter {
  const form: Form = {
    write: {
      text: plain,
      phone: plain,
      number: String,
      money: decimal(currency),
      date: (time) => time.toISOString(),
      flag: String,
    },
    hidden: 'hidden',
  };
  const write = (cells: readonly (string | null)[]) =>
    `${cells.map((cell) => (cell === null ? '' : quoted(cell))).join(',')}\r\n`;
  return {
    start: write(rawHead),
    line: (customer) => write(csvColumns.map((column) => cellOf(column, customer, form))),
  };
}

const quoted = (cell: string): string =>
  /[",\r\n;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Where numbers have a decimal comma, spreadsheets separate cells by semicolons. */
function spreadsheetWriter({ t, language, locale, currency }: Text): CsvWriter {
  const money = decimal(currency);
  const point = new Intl.NumberFormat(locale).formatToParts(0.5)[1]!.value;
  const separator = point === ',' ? ';' : ',';
  const form: Form = {
    write: {
      text: guard,
      phone: guardPhone,
      number: String,
      money: (value) => money(value).replace('.', point),
      date: spreadsheetTime[language],
      flag: (value) => t(value ? 'value.yes' : 'value.no'),
    },
    hidden: t('value.hidden'),
  };
  const write = (cells: readonly (string | null)[]) => `${spreadsheetLine(cells, separator)}\r\n`;
  const head = ({ kind, label }: Column) =>
    kind === 'money' ? `${t(label)} (${currency})` : t(label);
  return {
    start: byteOrderMark + write(csvColumns.map(head)),
    line: (customer) => write(csvColumns.map((column) => cellOf(column, customer, form))),
  };
}

interface Form {
  write: { [K in Kind]: (value: Values[K]) => string };
  /** An empty cell would say that there is none. */
  hidden: string;
}

function cellOf<K extends Kind>(
  column: Column<K>,
  customer: Customer,
  { write, hidden }: Form,
): string | null {
  if (isHidden(column, customer)) return hidden;
  const value = column.of(customer);
  return value === null ? null : write[column.kind](value);
}

const plain = (text: string): string => text;

/** The client divides minor units by 100 for every currency. */
function decimal(currency: string): (value: number) => string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  return (value) => (Math.round(value * 100) / 10 ** decimals).toFixed(decimals);
}

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
