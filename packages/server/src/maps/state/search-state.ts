/**
 * The cached state of a search: its map as one snapshot saw it, and how to bring it to a later one.
 *
 * A snapshot sees every transaction below `xmax` that is not in `xip`. What is new to a later snapshot is
 * therefore in the log under transactions from `xmax` on, or in `xip`: the cost of catching up is that of
 * the new entries, however long another transaction stays open. A standby does not say which transactions
 * it sees, so there the snapshot is the one that the log has published, and `seen` are the transactions
 * beyond it whose entries were visible when the search was counted.
 */
import { concerns, type Shape, type Statement, type View } from '@clientele/directory';
import type { Source } from '../../responses/tally.ts';
import { FlaggedMap } from '../shape/flagged-map.ts';
import { here } from './here.ts';
import { changes, type News } from './news.ts';
import type { PageMap } from '../shape/page-map.ts';
import { portable, witnessColumn, type Portable, type Witnessed } from './witness.ts';

export interface Snapshot {
  xmax: bigint;
  xip: readonly bigint[];
}

/** What a state, or something else that was read, includes of the log. */
export interface Point {
  /** The table that was read: see `identity`. Null: cannot be used. */
  readonly identity: string | null;
  /** The run of the server in which `snapshot` and `seen` mean something. */
  readonly run: string;
  readonly snapshot: Snapshot;
  readonly seen: readonly bigint[];
}

export interface SearchState extends Point {
  /** For every other run of the server, on this node or another: see ./adopt.ts. */
  readonly portable: Portable | undefined;
  readonly current: PageMap;
}

/** A state, and whether it was cached, adopted or counted. */
export interface FoundState {
  state: SearchState;
  source: Source;
}

/** What a statement reports about its own snapshot. */
export interface Moment {
  /** Null where not every write is logged. */
  identity: string | null;
  run: string;
  /** As text: xmin:xmax:xip,xip,… */
  snapshot: string;
  /** Entries of transactions before `horizon` are gone, except those of the ones in `running`. */
  horizon: string;
  running: string[];
  /** Transactions beyond `snapshot` whose entries are visible; null where there cannot be any. */
  beyond: string[] | null;
  /** Null where no state is made of it. */
  witnessed: Witnessed | null;
}

const beyond = (order: Shape['order']): string => `
  case when here.standby then array(
    select e.xid::text from clientele.changes as e
    where e.xid >= pg_snapshot_xmax(here.snapshot) and ${concerns(order)}
    union
    select e.xid::text from clientele.changes as e
    where e.xid = any (array(select pg_snapshot_xip(here.snapshot))) and ${concerns(order)}
  ) end`;

/** The columns of a Moment, from the CTE `here`. */
export const momentColumns = ({ order }: Pick<Shape, 'order'>, forState = 'true'): string => `
  here.identity, here.run, here.snapshot::text, here.horizon::text, here.running::text[],
  case when ${forState} then ${beyond(order)} end as beyond, ${witnessColumn(forState, concerns(order))}`;

/** Names the snapshot of the statement; null on a standby, which does not know it. From the CTE `here`. */
export const snapshotName = `
  case when not here.standby then here.identity || ' ' || here.run || ' ' || here.snapshot end`;

const forEachView = (make: (view: View) => Statement): Record<View, Statement> => ({
  full: make('full'),
  masked: make('masked'),
});

export const snapshotNameStatement = forEachView((view) => ({
  name: 'snapshot-name',
  text: `with ${here({ view })} select ${snapshotName} as name from here`,
}));

/** $1 and $2: xmax and xip of an earlier snapshot. `same`: nothing but audited reads was committed since. */
export const auditedNameStatement = forEachView((view) => ({
  name: 'audited-snapshot-name',
  text: `
    with ${here({ view })}
    select case when not here.standby then here.identity || ' ' || here.run end as place,
      here.snapshot::text as snapshot,
      coalesce(clientele.only_audited_since($1::xid8, $2::xid8[]), false) as same
    from here`,
}));

/** The snapshot in which a search is being counted. */
export const momentStatement = forEachView((view) => ({
  name: 'moment',
  text: `with ${here({ view })} select ${momentColumns({})} from here`,
}));

/**
 * The first statement of a transaction that counts: the snapshot is taken after it. A table that is
 * rewritten, or a log that is truncated, between the snapshot and the lock would look empty.
 */
export const lockCustomers: Record<View, Statement> = {
  full: {
    name: 'lock-customers',
    text: `lock table only public.customers, clientele.changes, clientele.sorted_customers
      in access share mode`,
  },
  masked: {
    name: 'lock-customers',
    text: 'lock table clientele.counted_tables in access share mode',
  },
};

export const pointOf = ({ identity, run, snapshot, beyond }: Moment): Point => ({
  identity,
  run,
  snapshot: parseSnapshot(snapshot),
  seen: (beyond ?? []).map(BigInt),
});

/** The state of a map that was counted in this snapshot. */
export function newState(moment: Moment, current: PageMap): SearchState {
  const { witnessed, horizon } = moment;
  return {
    ...pointOf(moment),
    portable: witnessed ? portable(witnessed, BigInt(horizon)) : undefined,
    current,
  };
}

/** The table, and the run of the server. */
export const placeOf = ({ identity, run }: Pick<Moment, 'identity' | 'run'>): string =>
  `${identity} ${run}`;

/** Whether the log can bring the state to this snapshot: no when it must be counted again. */
export function isUsable(state: Point, moment: Moment, { recount }: News): boolean {
  const horizon = BigInt(moment.horizon);
  const kept = (xid: bigint): boolean => xid >= horizon || moment.running.includes(String(xid));
  const { xmax, xip } = state.snapshot;
  const same = state.identity !== null && placeOf(state) === placeOf(moment);
  return same && !recount && xmax >= horizon && xip.every(kept);
}

/** Whether this snapshot sees all that the state includes. It does unless it is older than the state. */
export function seesAll(state: Point, moment: Moment, { seen }: News): boolean {
  const { xmax, xip } = state.snapshot;
  const now = parseSnapshot(moment.snapshot);
  const running = now.xip.every((xid) => xid >= xmax || xip.includes(xid));
  return now.xmax >= xmax && running && seen === state.seen.length;
}

/** The state in this snapshot. The news must hold the places. */
export function advance(state: SearchState, moment: Moment, { added, removed }: News): SearchState {
  const flagged = state.current instanceof FlaggedMap;
  const all = [...changes(removed!, -1, flagged), ...changes(added!, 1, flagged)];
  return newState(moment, state.current.with(all));
}

function parseSnapshot(text: string): Snapshot {
  const [, xmax = '', xip = ''] = text.split(':');
  return { xmax: BigInt(xmax), xip: xip === '' ? [] : xip.split(',').map(BigInt) };
}
