import type { CustomersDatabase } from '../customers-database.ts';

/** One line of the report. */
export interface Row {
  letter: string;
  measure: string;
  value: number | null;
  bar: string;
  holds: boolean | null;
  raw: unknown;
}

export interface Bench {
  database: CustomersDatabase;
  customers: number;
  say(line: string): void;
  only: string | undefined;
}

/** The warm measures and the throughput are medians over this many rounds. */
export const rounds = 5;

export const columns = `uuid, full_name, email_address, phone_number, company_name, is_verified, total_orders,
  lifetime_value_cents, last_order_at, created_at`;
export const order = 'order by place desc, created_at desc, uuid desc';

/** A row that holds if the value is at most the bar. */
export function row(
  letter: string,
  measure: string,
  value: number,
  bar: number,
  raw: unknown,
): Row {
  const rounded = Math.round(value * 1_000) / 1_000;
  return { letter, measure, value: rounded, bar: `≤ ${bar}`, holds: value <= bar, raw };
}
