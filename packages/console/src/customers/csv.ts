import type { Customer, HiddenField } from '@clientele/client';
import { guard, spreadsheetLine } from '@clientele/contract/spreadsheet';
import type { CsvFormat } from '../settings.ts';

/** Excel reads a file as UTF-8 only if it starts with this. */
const byteOrderMark = '\uFEFF';

/** An empty cell would say that there is none. */
const hiddenCell = 'hidden';

const head =
  'id,name,email,phone,company,verified,orders,lifetime_value,last_order_at,created_at\r\n';

export const csvStart = (format: CsvFormat): string =>
  format === 'raw' ? head : byteOrderMark + head;

/** Amounts are plain numbers in the currency's unit; times are in UTC. */
export function csvLine(customer: Customer, decimals: number, format: CsvFormat): string {
  const isRaw = format === 'raw';
  const safe = isRaw ? (text: string) => text : guard;
  const hides = (field: HiddenField) => customer.hidden?.includes(field) ?? false;
  const minor = Math.round(customer.lifetimeValue * 100);
  const line = isRaw ? rawLine : spreadsheetLine;
  const cells = [
    customer.id,
    safe(customer.name),
    hides('email') ? hiddenCell : safe(customer.email),
    hides('phone') ? hiddenCell : customer.phone && safe(customer.phone),
    customer.company && safe(customer.company),
    String(customer.isVerified),
    String(customer.totalOrders),
    (minor / 10 ** decimals).toFixed(decimals),
    customer.lastOrderAt?.toISOString() ?? null,
    customer.createdAt.toISOString(),
  ];
  return `${line(cells)}\r\n`;
}

const rawLine = (cells: readonly (string | null)[]): string =>
  cells
    .map((cell) => {
      if (cell === null) return '';
      return /[",\r\n;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
    })
    .join(',');

export const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits ?? 2;

export function saveCsv(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `customers-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  // The browser reads the URL after the click, so it cannot be revoked here.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
