/** Brings a state that was counted in another run of the server, on any node, to a snapshot of this one. */
import type { RunStatement, Statement } from '../../db/lane.ts';
import { perTermCount } from '../match-condition.ts';
import type { Terms } from '../search.ts';
import { MapMismatchError } from './page-map.ts';
import {
  advance,
  here,
  momentColumns,
  newsColumns,
  newsSince,
  type Moment,
  type News,
  type SearchState,
} from './search-state.ts';
import type { Portable } from './witness.ts';

/** What a statement reports about this node and the log since a state's portable form. */
export interface Arrival extends Moment, News {
  /** Whether the witness of the state is visible, in the cluster that the log belongs to. */
  known: boolean;
}

/** Undefined when the state has to be counted again. */
export async function adopt(
  run: RunStatement,
  search: Terms,
  state: SearchState,
): Promise<SearchState | undefined> {
  if (!state.portable) return undefined;
  const arrival = await arrive(run, search, state.portable);
  if (!isAdoptable(state, arrival)) return undefined;
  try {
    return advance(state, arrival, arrival);
  } catch (error) {
    if (error instanceof MapMismatchError) return undefined;
    throw error;
  }
}

export async function arrive(
  run: RunStatement,
  { count, patterns }: Terms,
  { since, seen, witness }: Portable,
): Promise<Arrival> {
  const values = [since, [], seen, witness.xid, witness.nonce, ...patterns];
  const [arrival] = await run<Arrival>(arrivalStatement(count), values);
  return arrival!;
}

/**
 * Whether this snapshot shares the history of the state, still has all entries since, and sees every
 * transaction that the state includes.
 */
export function isAdoptable(state: SearchState, arrival: Arrival): boolean {
  const { identity, horizon, witnessed, known, recount, seen } = arrival;
  if (!state.portable || state.identity === null || state.identity !== identity) return false;
  const { since, seen: included } = state.portable;
  const kept = BigInt(horizon) <= since && since <= BigInt(witnessed!.xmin);
  return known && kept && !recount && seen === included.length;
}

/** $1 since, $2 nothing, $3 seen: the portable form is a snapshot like any other. $4 and $5: its witness. */
const arrivalStatement = perTermCount((terms: number): Statement => {
  return {
    name: `arrival-${terms}`,
    text: `
      with ${here}, ${newsSince(terms, 6, `'-infinity'`)}
      select ${momentColumns()}, ${newsColumns('true')},
        here.cluster = (select c.system_identifier from pg_control_system() as c) and (
          here.nonce = $5::uuid
          or exists (
            select from clientele.changes as e where e.xid = $4::xid8 and e.nonce = $5::uuid
          )
        ) as known
      from here, delta as d`,
  };
});
