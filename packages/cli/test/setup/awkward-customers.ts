import type { WireCustomer } from '@clientele/contract';

/** Values that are easily broken by CSV, spreadsheets or JSON. */
export const awkward: Partial<WireCustomer>[] = [
  { full_name: '=HYPERLINK("http://example.com","x")', company_name: '+1', phone_number: '-1' },
  { full_name: '@SUM(A1)', company_name: '\tTab', phone_number: '' },
  { full_name: 'Comma, "Quote"\nLine\r\nReturn\rEnd', company_name: '', phone_number: null },
  { full_name: "  spaces  'and' \\backslash\\N  ", company_name: null, phone_number: '+49 170 1' },
  { full_name: '李小龍 🙂 \u2028 Ünïcode\u0301', company_name: '\\.', phone_number: '\r\n' },
].map((customer, i) => ({
  uuid: `00000000-0000-4000-8000-00000000000${i}`,
  email_address: `"a, b ${i}"@mail.example`,
  is_verified: i % 2 === 0,
  total_orders: i === 0 ? Number.MAX_SAFE_INTEGER : i,
  lifetime_value_cents: -Number.MAX_SAFE_INTEGER + i,
  last_order_at: i === 1 ? '0001-01-01T00:00:00.000Z' : null,
  created_at: i === 2 ? '9999-12-31T23:59:59.999Z' : '2026-01-31T09:05:00.007Z',
  ...customer,
}));
