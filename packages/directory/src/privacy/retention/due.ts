/** Customers whom a retention rule no longer allows to keep. */
import type pg from 'pg';
import type { Condition, RetentionRule } from './rules.ts';

export interface DueCustomer {
  uuid: string;
  /** The first rule of the file that applies. */
  rule: string;
  created_at: string;
  last_order_at: string | null;
}

export interface DueCounts {
  /** All customers, due or not. */
  customers: number;
  due: number;
  rules: { name: string; due: number }[];
}

/** The day in UTC, by the clock of the database, which decides who is due. */
export async function readToday(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ today: string }>(
    `select (now() at time zone 'UTC')::date::text as today`,
  );
  return rows[0]!.today;
}

export async function countDue(
  client: pg.ClientBase,
  rules: readonly RetentionRule[],
  today: string,
): Promise<DueCounts> {
  const values: unknown[] = [];
  const { rows } = await client.query<{ rule: number | null; count: string }>(
    `select ${firstRule(rules, today, values)} as rule, count(*) from only public.customers as c group by 1`,
    values,
  );
  const counts = new Map(rows.map(({ rule, count }) => [rule, Number(count)]));
  const customers = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    customers,
    due: customers - (counts.get(null) ?? 0),
    rules: rules.map(({ name }, i) => ({ name, due: counts.get(i) ?? 0 })),
  };
}

/** Oldest first, in batches, from one snapshot. Read it to the end, or call its `return`. */
export async function* readDue(
  client: pg.ClientBase,
  rules: readonly RetentionRule[],
  { today, limit }: { today: string; limit?: number | undefined },
): AsyncGenerator<DueCustomer[]> {
  const values: unknown[] = [limit];
  const rule = firstRule(rules, today, values);
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query(
      `declare due no scroll cursor for
       select c.uuid, r.rule, c.created_at, c.last_order_at
       from only public.customers as c, lateral (select ${rule} as rule) as r
       where r.rule is not null
       order by c.place, c.created_at, c.uuid
       limit $1::bigint`,
      values,
    );
    for (;;) {
      const { rows } = await client.query<{
        uuid: string;
        rule: number;
        created_at: Date;
        last_order_at: Date | null;
      }>('fetch 1000 from due');
      if (rows.length === 0) return;
      yield rows.map(({ uuid, rule, created_at, last_order_at }) => ({
        uuid,
        rule: rules[rule]!.name,
        created_at: created_at.toISOString(),
        last_order_at: last_order_at?.toISOString() ?? null,
      }));
    }
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

/** The number of the first rule that applies to `c`, or null, as an expression. Appends to `values`. */
export function firstRule(
  rules: readonly RetentionRule[],
  today: string,
  values: unknown[],
): string {
  const parameter = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const branches = rules.map(({ conditions }, i) => {
    const all = conditions.map((condition) => `(${toSql(condition, today, parameter)})`);
    return `when ${all.join(' and ')} then ${i}`;
  });
  return `case ${branches.join(' ')} end`;
}

/**
 * Periods count whole days: whoever ordered on 29 February 2016 is due under "7 years" from 1 March 2023 on, and never
 * before seven years have passed. Who has orders, but no date of the last one, is not due.
 */
function toSql(
  condition: Condition,
  today: string,
  parameter: (value: unknown, type: string) => string,
): string {
  const isOver = (time: string, period: string): string =>
    `((${time} at time zone 'UTC')::date + ${parameter(period, 'interval')})::date < ${parameter(today, 'date')}`;
  switch (condition.kind) {
    case 'no_order_for':
      return `(c.last_order_at is not null or c.total_orders = 0)
        and ${isOver('coalesce(c.last_order_at, c.created_at)', condition.period)}`;
    case 'older_than':
      return isOver('c.created_at', condition.period);
    case 'created_before':
      return `(c.created_at at time zone 'UTC')::date < ${parameter(condition.date, 'date')}`;
    default:
      return `c.is_verified = ${parameter(condition.value, 'boolean')}`;
  }
}
