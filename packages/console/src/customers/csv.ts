import type { Customer } from '@clientele/client';

/** Excel reads a file as UTF-8 only if it starts with this. */
export const byteOrderMark = '\uFEFF';

export const csvHead = line([
  'id',
  'name',
  'email',
  'phone',
  'company',
  'verified',
  'orders',
  'lifetime_value',
  'last_order_at',
  'created_at',
]);

/** Amounts are plain numbers in the currency's unit; times are in UTC. */
export function csvLine(customer: Customer, decimals: number): string {
  const minor = Math.round(customer.lifetimeValue * 100);
  return line([
    customer.id,
    safe(customer.name),
    safe(customer.email),
    safe(customer.phone ?? ''),
    safe(customer.company ?? ''),
    String(customer.isVerified),
    String(customer.totalOrders),
    (minor / 10 ** decimals).toFixed(decimals),
    customer.lastOrderAt?.toISOString() ?? '',
    customer.createdAt.toISOString(),
  ]);
}

/** Prevents CSV injection: a spreadsheet would run a name such as `=HYPERLINK(…)` as a formula. */
function safe(text: string): string {
  return /^\s*[=+\-@|\t\r]/.test(text) ? `'${text}` : text;
}

function line(cells: string[]): string {
  const quoted = cells.map((cell) =>
    /[",\r\n;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quoted.join(',')}\r\n`;
}
