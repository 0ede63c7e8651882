/**
 * The wire format of a customer, made by the database: the columns are the wire fields, so a row's JSON
 * is sent as it is, without being parsed and serialised again.
 */
const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column.slice(2)}`;

/** The select list for a table or subquery called `c`; a row of it in JSON is a wire customer. */
export const wireColumns = `
  c.uuid, c.full_name, c.email_address, c.phone_number, c.company_name, c.is_verified,
  c.total_orders, c.lifetime_value_cents, ${instant('c.last_order_at')}, ${instant('c.created_at')}`;
