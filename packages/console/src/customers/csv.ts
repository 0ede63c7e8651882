import type { Customer } from '@clientele/client';

/** Excel takes UTF-8 for what it is only behind this. */
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

/** Names as in the client's model; amounts as plain numbers, moments in UTC. */
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

/** What spreadsheets would run as a formula becomes text: somebody may have called themselves =HYPERLINK(…). */
function safe(text: string): string {
  return /^\s*[=+\-@|\t\r]/.test(text) ? `'${text}` : text;
}

function line(cells: string[]): string {
  const quoted = cells.map((cell) =>
    /[",\r\n;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quoted.join(',')}\r\n`;
}
