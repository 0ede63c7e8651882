/** The server's three lanes on each driver, bare: no slots, timers or retries around the query. */
import pg from 'pg';
import postgres from 'postgres';
// Not published: the benchmark wants the very settings that the server's sessions start with.
import { readerRole, withSettings, type Statement } from '../packages/server/src/db/lane.ts';

import type { PlainLanes } from './plain-list.ts';

export const variants = ['pg', 'postgres', 'postgres-no-pipeline'] as const;
export type Variant = (typeof variants)[number];

interface BareLane {
  query<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

const connectionsPerLane = 4;

export function openLanes(variant: Variant, url: string): PlainLanes {
  const lane = (planCacheMode: string): BareLane => {
    const session = withSettings(url, {
      role: readerRole,
      default_transaction_read_only: 'on',
      jit: 'off',
      plan_cache_mode: planCacheMode,
    });
    return variant === 'pg' ? pgLane(session) : postgresLane(session, variant === 'postgres');
  };
  return {
    lookups: lane('force_generic_plan'),
    lists: lane('force_generic_plan'),
    searches: lane('force_custom_plan'),
  };
}

function pgLane(connectionString: string): BareLane {
  const int8: number = pg.types.builtins.INT8;
  const pool = new pg.Pool({
    connectionString,
    max: connectionsPerLane,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as (value: string) => unknown,
    },
  });
  return {
    async query<Row extends object>(statement: Statement, values: unknown[]) {
      return (await pool.query<Row>({ ...statement, values })).rows;
    },
  };
}

function postgresLane(url: string, pipeline: boolean): BareLane {
  const sql = postgres(url, {
    max: connectionsPerLane,
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
    // Missing in the driver's types: how many queries may wait on a busy connection.
    ...(pipeline ? {} : ({ max_pipeline: 0 } as object)),
  });
  return {
    query<Row extends object>({ text }: Statement, values: unknown[]) {
      return sql.unsafe<Row[]>(text, values as never[], { prepare: true });
    },
  };
}
