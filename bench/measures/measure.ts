import type { CustomersDatabase } from '../customers-database.ts';
import { median } from '../statistics.ts';

/** One line of the report. */
export interface Row {
  letter: string;
  measure: string;
  value: number | null;
  /** The least and the greatest value of the rounds. Absent where there is only one. */
  spread?: [number, number];
  bar: string;
  holds: boolean | null;
  /** The value of a service that records no audit. */
  withoutAudit?: number | null;
  /** If it is older than the others: the day on which it was measured. */
  measured?: string;
  /** If it differs from that of the others: how the service and PostgreSQL were configured. */
  configuration?: string;
  raw: unknown;
}

export interface Bench {
  database: CustomersDatabase;
  customers: number;
  say: (line: string) => void;
  only: string | undefined;
  /** How often measures that need a new service are repeated. */
  runs: number;
}

/** The warm measures and the throughput are medians over this many rounds. */
export const rounds = 5;

export const columns = `uuid, full_name, email_address, phone_number, company_name, is_verified, total_orders,
  lifetime_value_cents, last_order_at, created_at`;
export const order = 'order by place desc, created_at desc, uuid desc';

/** A row that holds if the value is at most the bar. Of several values, one per round, the median counts. */
export function row(
  letter: string,
  measure: string,
  values: number | number[],
  bar: number,
  raw: unknown,
): Row {
  const value = typeof values === 'number' ? values : median(values);
  const spread = typeof values !== 'number' && {
    spread: [rounded(Math.min(...values)), rounded(Math.max(...values))] as [number, number],
  };
  const holds = value <= bar;
  return { letter, measure, value: rounded(value), ...spread, bar: `≤ ${bar}`, holds, raw };
}

/** A row that holds if the value is at least the bar. */
export function rowAtLeast(...[letter, measure, values, bar, raw]: Parameters<typeof row>): Row {
  const value = typeof values === 'number' ? values : median(values);
  return { ...row(letter, measure, values, bar, raw), bar: `≥ ${bar}`, holds: value >= bar };
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
