/** A row of `customers` as it travels. The columns are the wire fields; only instants are written out. */
import type { WireCustomer } from '@clientele/contract';

const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The select list for a table or subquery called `c`. */
export const wireColumns = `
  c.uuid, c.full_name, c.email_address, c.phone_number, c.company_name, c.is_verified,
  c.total_orders, c.lifetime_value_cents,
  ${instant('c.last_order_at')} as last_order_at, ${instant('c.created_at')} as created_at`;

/** Field by field: a row may carry more columns than travel. */
export function toWire(row: WireCustomer): WireCustomer {
  return {
    uuid: row.uuid,
    full_name: row.full_name,
    email_address: row.email_address,
    phone_number: row.phone_number,
    company_name: row.company_name,
    is_verified: row.is_verified,
    total_orders: row.total_orders,
    lifetime_value_cents: row.lifetime_value_cents,
    last_order_at: row.last_order_at,
    created_at: row.created_at,
  };
}
