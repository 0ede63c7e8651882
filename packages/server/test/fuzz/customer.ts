/** A customer as stored, read from the plain columns. Times are milliseconds. */
import type pg from 'pg';

export interface Row {
  uuid: string;
  full_name: string;
  email_address: string;
  phone_number: string | null;
  company_name: string | null;
  is_verified: boolean;
  total_orders: number;
  lifetime_value_cents: number;
  last_order_at: number | null;
  created_at: number;
}

const ms = (column: string) => `(extract(epoch from c.${column}) * 1000)::bigint::text`;

export async function readRows(client: pg.Client): Promise<Row[]> {
  const { rows } = await client.query<Record<string, string | null> & { is_verified: boolean }>(
    `select c.uuid::text, c.full_name, c.email_address, c.phone_number, c.company_name, c.is_verified,
       c.total_orders::text, c.lifetime_value_cents::text, ${ms('last_order_at')} as last_order_at,
       ${ms('created_at')} as created_at
     from only public.customers as c`,
  );
  return rows.map((row) => ({
    uuid: row['uuid']!,
    full_name: row['full_name']!,
    email_address: row['email_address']!,
    phone_number: row['phone_number']!,
    company_name: row['company_name']!,
    is_verified: row.is_verified,
    total_orders: Number(row['total_orders']),
    lifetime_value_cents: Number(row['lifetime_value_cents']),
    last_order_at: row['last_order_at'] === null ? null : Number(row['last_order_at']),
    created_at: Number(row['created_at']),
  }));
}

/** As in a response: docs/api.md#list-customers, and #hidden-fields for callers who do not see contact details. */
export const onTheWire = (row: Row, masked: boolean) => ({
  ...row,
  email_address: masked ? '' : row.email_address,
  phone_number: masked ? null : row.phone_number,
  last_order_at: row.last_order_at === null ? null : new Date(row.last_order_at).toISOString(),
  created_at: new Date(row.created_at).toISOString(),
});

export const hidden = ['email_address', 'phone_number'];
