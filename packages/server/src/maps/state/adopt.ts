/** Brings a state to a snapshot of this server, from wherever it was counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  anyFlags,
  perShape,
  type RunStatement,
  type Shape,
  type Statement,
  type Terms,
  valuesOf,
} from '@clientele/directory';
import { endsColumns, endsValues, type EndBlocks, type EndsWithin } from '../shape/ends.ts';
import { here } from './here.ts';
import { newsColumns, newsSince, type News } from './news.ts';
import { MapMismatchError } from '../shape/page-map.ts';
import {
  advance,
  isUsable,
  momentColumns,
  seesAll,
  type Moment,
  type SearchState,
} from './search-state.ts';
import type { Portable } from './witness.ts';

/** What a statement reports about this node and the log since a state's portable form. */
export interface Arrival extends Moment, News {
  /** Whether the witness of the state is visible, in the cluster that the log belongs to. */
  known: boolean;
}

/** How long to wait each time, in milliseconds, for a standby that may be a moment behind. */
const waits = [20, 50, 100, 200, 400, 0];

/** Undefined when the state has to be counted again. */
export async function adopt(
  run: RunStatement,
  search: Terms,
  state: SearchState,
): Promise<SearchState | undefined> {
  if (!state.portable) return undefined;
  for (const wait of waits) {
    const arrival = await arrive(run, search, state.portable);
    const fit = fitOf(state, arrival);
    if (fit === 'exact') return advanceIfItFits(state, arrival);
    // What a primary does not see is lost, or not worth waiting for.
    const standby = arrival.beyond !== null;
    if (fit === 'outdated' || !standby) return undefined;
    await sleep(wait);
  }
  return undefined;
}

export function arrive(
  run: RunStatement,
  search: Terms,
  { since, seen, witness }: Portable,
): Promise<Arrival> {
  return compare(run, search, { snapshot: { xmax: since, xip: [] }, seen }, witness);
}

/** The state as of now, within its own run of the server. Undefined when it cannot be brought there. */
export async function renew(
  run: RunStatement,
  search: Terms,
  state: SearchState,
): Promise<SearchState | undefined> {
  return renewed(state, await compare(run, search, state));
}

/** The same by a statement that also reads the ends in these blocks. */
export async function renewWithEnds(
  run: RunStatement,
  search: Terms,
  state: SearchState,
  within: EndBlocks,
): Promise<{ now: SearchState; ends: EndsWithin } | undefined> {
  const { xmax, xip } = state.snapshot;
  const values = [xmax, xip, state.seen, null, null, ...endsValues(within), ...valuesOf(search)];
  const [read] = await run<Arrival & EndsWithin>(arrivalWithEnds(search), values);
  const { oldest, newest } = read!;
  const now = renewed(state, read!);
  return now && { now, ends: { within, oldest, newest } };
}

function renewed(state: SearchState, now: Arrival): SearchState | undefined {
  if (!isUsable(state, now, now) || !seesAll(state, now, now)) return undefined;
  return advanceIfItFits(state, now);
}

async function compare(
  run: RunStatement,
  search: Terms,
  { snapshot, seen }: Pick<SearchState, 'snapshot' | 'seen'>,
  witness?: Portable['witness'],
): Promise<Arrival> {
  const { xmax, xip } = snapshot;
  const values = [
    xmax,
    xip,
    seen,
    witness?.xid ?? null,
    witness?.nonce ?? null,
    ...valuesOf(search),
  ];
  const [arrival] = await run<Arrival>(arrivalStatement(anyFlags(search)), values);
  return arrival!;
}

/** Undefined when the news do not fit the map: a write bypassed the log. */
function advanceIfItFits(state: SearchState, arrival: Arrival): SearchState | undefined {
  try {
    return advance(state, arrival, arrival);
  } catch (error) {
    if (error instanceof MapMismatchError) return undefined;
    throw error;
  }
}

/**
 * Whether this snapshot shares the history of the state, still has all entries since, and sees every
 * transaction that the state includes. `behind`: not yet, or never.
 */
function fitOf(state: SearchState, arrival: Arrival): 'exact' | 'behind' | 'outdated' {
  const { identity, horizon, witnessed, known, recount, seen } = arrival;
  if (!state.portable || state.identity === null || state.identity !== identity) return 'outdated';
  const { since, seen: included } = state.portable;
  if (BigInt(horizon) > since || recount) return 'outdated';
  const includesAll = since <= BigInt(witnessed!.xmin) && seen === included.length;
  return known && includesAll ? 'exact' : 'behind';
}

export const isAdoptable = (state: SearchState, arrival: Arrival): boolean =>
  fitOf(state, arrival) === 'exact';

/** $1 to $3: the snapshot of the state, or `since`, nothing and `seen`. $4 and $5: its witness. */
const arrivalStatement = perShape((search): Statement => ({
  name: `arrival-${search.count}`,
  text: arrivalAt(search, 6),
}));

/** With the ends of those with the flags of the search, in the blocks from $6 on. */
const arrivalWithEnds = perShape((search): Statement => ({
  name: `arrival-with-ends-${search.count}`,
  text: arrivalAt(anyFlags(search), 10, `, ${endsColumns(search, 6)}`),
}));

const arrivalAt = (search: Shape, first: number, more = ''): string => `
  with ${here(search)}, ${newsSince(search, first, `>= '-infinity'`)}
  select ${momentColumns(search)}, ${newsColumns(search, 'true')},
    here.cluster = (select c.system_identifier from pg_control_system() as c) and (
      here.nonce = $5::uuid
      or exists (
        select from clientele.changes as e where e.xid = $4::xid8 and e.nonce = $5::uuid
      )
    ) as known${more}
  from here, delta as d`;
