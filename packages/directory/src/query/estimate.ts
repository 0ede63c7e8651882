/** About how many customers match a search, without counting them. */
import type { Statement } from '../db/statement.ts';
import type { Queries } from '../db/nodes.ts';
import { isListed, perShape, valuesOf } from './match-condition.ts';
import { anyFlags, type Terms } from './search.ts';

/** The planner's estimate, which also knows the size of a table that was never analysed. */
export async function estimate(
  lane: Queries,
  search: Terms,
  signal?: AbortSignal,
): Promise<number> {
  const [row] = await lane.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    estimateStatement(anyFlags(search)),
    valuesOf(search),
    signal,
  );
  return row!['QUERY PLAN'][0].Plan['Plan Rows'];
}

const estimateStatement = perShape((search): Statement => {
  return {
    name: `estimate-${search.count}`,
    text: `explain (format json)
      select from only public.customers as m where ${isListed(search, 1)}`,
  };
});
