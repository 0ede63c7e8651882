/**
 * The wire format of a customer, made by the database: the columns are the wire fields, so a row's JSON
 * is sent as it is, without being parsed and serialised again.
 */
import type { View } from './view.ts';

const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column.slice(2)}`;

const columns = (email: string, phone: string): string => `
  c.uuid, c.full_name, ${email} as email_address, ${phone} as phone_number, c.company_name, c.is_verified,
  c.total_orders, c.lifetime_value_cents, ${instant('c.last_order_at')}, ${instant('c.created_at')}`;

/** The select list for a table or subquery called `c`; a row of it in JSON is a wire customer. */
export const wireColumns: Record<View, string> = {
  full: columns('c.email_address', 'c.phone_number'),
  masked: columns(`''::text`, 'null::text'),
};

/** What the wire columns of a view, and the list's order, are made of. */
export const rowColumns: Record<View, string> = {
  full: 'm.*',
  masked: `m.uuid, m.full_name, m.company_name, m.is_verified, m.total_orders, m.lifetime_value_cents,
    m.last_order_at, m.created_at`,
};
