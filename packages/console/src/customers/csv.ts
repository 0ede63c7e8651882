import type { Customer, HiddenField } from '@clientele/client';
import { guard, guardPhone, spreadsheetLine } from '@clientele/contract/spreadsheet';
import type { CsvFormat } from '../settings.ts';
import type { MessageName } from '../text/messages.ts';
import type { Text } from '../text/text.ts';

/** Excel reads a file as UTF-8 only if it starts with this. */
const byteOrderMark = '\uFEFF';

/** An empty cell would say that there is none. */
const hiddenCell = 'hidden';

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

/** Raw for programs, or as a spreadsheet in the reader's language reads it. Times are in UTC. */
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
    line: (customer) => `${line(cellsOf(customer, decimals, plain, plain))}\r\n`,
  };
}

/** Where numbers have a decimal comma, spreadsheets separate cells by semicolons. */
function spreadsheetWriter({ t, locale, currency }: Text): CsvWriter {
  const decimals = decimalsOf(currency);
  const point = new Intl.NumberFormat(locale).formatToParts(0.5)[1]!.value;
  const separator = point === ',' ? ';' : ',';
  const write = (cells: readonly (string | null)[]) => `${spreadsheetLine(cells, separator)}\r\n`;
  return {
    start: byteOrderMark + write(heads.map((name) => withUnit(t(name), name, currency))),
    line: (customer) => {
      const cells = cellsOf(customer, decimals, guard, guardPhone);
      cells[valueCell] = cells[valueCell]!.replace('.', point);
      return write(cells);
    },
  };
}

const withUnit = (head: string, name: MessageName, currency: string): string =>
  name === 'column.value' ? `${head} (${currency})` : head;

const plain = (text: string): string => text;
const valueCell = 7;

function cellsOf(
  customer: Customer,
  decimals: number,
  safe: (text: string) => string,
  safePhone: (text: string) => string,
): (string | null)[] {
  const hides = (field: HiddenField) => customer.hidden?.includes(field) ?? false;
  const minor = Math.round(customer.lifetimeValue * 100);
  return [
    customer.id,
    safe(customer.name),
    hides('email') ? hiddenCell : safe(customer.email),
    hides('phone') ? hiddenCell : customer.phone && safePhone(customer.phone),
    customer.company && safe(customer.company),
    String(customer.isVerified),
    String(customer.totalOrders),
    (minor / 10 ** decimals).toFixed(decimals),
    customer.lastOrderAt?.toISOString() ?? null,
    customer.createdAt.toISOString(),
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
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  return `${[...what.map(part), day].filter((each) => each !== '').join('-')}.csv`;
}

export function saveCsv(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads the URL after the click, so it cannot be revoked here.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
