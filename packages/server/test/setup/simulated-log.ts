/**
 * An in-memory model of transactions that write customers and the change log, with PostgreSQL's rules: a
 * transaction gets its id at its first write, transactions end in any order, a row has one writer at a
 * time, and a snapshot sees the rows and entries of the transactions that had ended. A standby sees the
 * transactions whose commit records it has replayed; a primary shows them a little later, not necessarily
 * in the same order. A crash or a failover may keep only the first commits, and assigns the ids of the
 * others again.
 */
import type { Arrival } from '../../src/maps/state/adopt.ts';
import type { News } from '../../src/maps/state/news.ts';
import type { Moment, SearchState } from '../../src/maps/state/search-state.ts';
import { mostRecent, type Portable, type Witnessed } from '../../src/maps/state/witness.ts';

export interface Transaction {
  xid?: bigint;
  /** How to undo each of its writes, in the order they were made. */
  undo: (() => void)[];
  listed: number;
  /** Its commit record is written; nobody on the primary sees it until it has ended. */
  committing: boolean;
  ended: boolean;
}

/** A version of a customer. Only some customers match the search. */
interface Row {
  place: number;
  matches: boolean;
  by: Transaction;
  removedBy?: Transaction | undefined;
}

type Version = Pick<Row, 'place' | 'matches'>;

interface Witness {
  nonce: string;
  oldest: bigint;
}

/** Neither before nor after: too much changed to list. */
interface Entry extends Witness {
  by: Transaction;
  before?: Version | undefined;
  after?: Version | undefined;
  removedBy?: Transaction | undefined;
}

interface Published {
  xmax: bigint;
  xip: readonly bigint[];
}

interface Horizon extends Witness {
  by?: Transaction;
  xid: bigint;
  running: readonly bigint[];
  cleared: bigint;
  garbage: readonly bigint[];
  published: Published;
}

/** What the WAL says about transactions at a commit record. */
interface WalPosition {
  /** All transactions before it have ended. */
  xmin: bigint;
  /** The WAL mentions no transaction from here on. */
  nextXid: bigint;
}

const firstXid = 100n;
const least = (...xids: bigint[]): bigint => xids.reduce((a, b) => (a < b ? a : b));
const greatest = (...xids: bigint[]): bigint => xids.reduce((a, b) => (a > b ? a : b));
let created = 0;
const newName = (): string => `${(created += 1)}`;

export class SimulatedLog {
  readonly run = newName();
  readonly running: Transaction[] = [];
  readonly #rows: Row[] = [];
  readonly #entries: Entry[] = [];
  /** Every version of the horizon, in the order they were written. */
  readonly #horizons: Horizon[] = [
    {
      ...{ xid: firstXid, running: [], cleared: firstXid, garbage: [] },
      published: { xmax: firstXid, xip: [] },
      ...{ nonce: 'first', oldest: firstXid },
    },
  ];
  /** In the order of their commit records. */
  readonly committed: Transaction[] = [];
  /** After each of them. */
  readonly #wal: WalPosition[] = [];
  #written = firstXid - 1n;
  #endedInWal = firstXid - 1n;
  readonly #maxListed: number;
  #nextXid = firstXid;
  #latestEnded = firstXid - 1n;
  /** Only one transaction at a time trims the log. */
  #trimming: Transaction | undefined;

  /** The log lists at most `maxListed` changes of a transaction. */
  constructor(maxListed: number) {
    this.#maxListed = maxListed;
  }

  begin(): Transaction {
    const begun: Transaction = { undo: [], listed: 0, committing: false, ended: false };
    this.running.push(begun);
    return begun;
  }

  /** Assigns a transaction id, possibly before anything is written. */
  identify(by: Transaction): bigint {
    return (by.xid ??= this.#nextXid++);
  }

  insert(by: Transaction, after: Version): void {
    const row: Row = { ...after, by };
    this.#rows.push(row);
    by.undo.push(() => this.#rows.splice(this.#rows.indexOf(row), 1));
    this.#log(by, { after });
  }

  /** Deletes or replaces the n-th row that the transaction may write. */
  change(by: Transaction, n: number, after?: Version): void {
    const free = this.#rows.filter(
      ({ by: writer, removedBy }) =>
        !removedBy && (writer === by || (writer.ended && writer.committing)),
    );
    const row = free[n % free.length];
    if (!row) return;
    const replacement: Row | undefined = after && { ...after, by };
    row.removedBy = by;
    if (replacement) this.#rows.push(replacement);
    by.undo.push(() => {
      row.removedBy = undefined;
      if (replacement) this.#rows.splice(this.#rows.indexOf(replacement), 1);
    });
    this.#log(by, { before: { place: row.place, matches: row.matches }, after });
  }

  /** Rolls back to a savepoint, undoing the last n writes. */
  rollBackTo(by: Transaction, n: number): void {
    for (const undo of by.undo.splice(Math.max(0, by.undo.length - n)).toReversed()) undo();
  }

  /** Writes the commit record, which a standby may replay before the primary shows the commit. */
  writeCommit(by: Transaction): void {
    by.committing = true;
    this.running.splice(this.running.indexOf(by), 1);
    this.#ending.push(by);
    if (by.xid === undefined) return;
    this.committed.push(by);
    this.#written = greatest(this.#written, by.xid);
    this.#endedInWal = greatest(this.#endedInWal, by.xid);
    const running = this.running.flatMap(({ xid }) => xid ?? []);
    const nextXid = this.#written + 1n;
    this.#wal.push({ nextXid, xmin: least(this.#endedInWal + 1n, ...running) });
  }

  /** The cluster after a crash or a failover that kept only the first commits. */
  recover(commits: number): SimulatedLog {
    const copy = new SimulatedLog(this.#maxListed);
    const kept = new Map(
      this.committed
        .slice(0, commits)
        .map((by) => [by, { ...by, undo: [], ended: true, committing: true }]),
    );
    const survives = <T extends Row | Entry>(one: T): T[] => {
      const by = kept.get(one.by);
      return by ? [{ ...one, by, removedBy: one.removedBy && kept.get(one.removedBy) }] : [];
    };
    copy.committed.push(...kept.values());
    copy.#wal.push(...this.#wal.slice(0, commits));
    copy.#rows.push(...this.#rows.flatMap(survives));
    copy.#entries.push(...this.#entries.flatMap(survives));
    for (const horizon of this.#horizons) {
      const by = horizon.by && kept.get(horizon.by);
      if (by) copy.#horizons.push({ ...horizon, by });
    }
    copy.#nextXid = this.#wal[commits - 1]?.nextXid ?? firstXid;
    copy.#latestEnded = copy.#written = copy.#endedInWal = copy.#nextXid - 1n;
    return copy;
  }

  /** Shows one of the commits whose record is written. */
  show(n: number): void {
    const [by] = this.#ending.splice(n % Math.max(1, this.#ending.length), 1);
    if (by) this.#end(by);
  }

  abort(by: Transaction): void {
    this.rollBackTo(by, by.undo.length);
    this.running.splice(this.running.indexOf(by), 1);
    // PostgreSQL writes a record for it, if it has an id, so that id is never assigned again.
    this.#written = greatest(this.#written, by.xid ?? 0n);
    this.#endedInWal = greatest(this.#endedInWal, by.xid ?? 0n);
    this.#end(by);
  }

  /** Does what clientele.trim_changes does, as a part of a transaction. */
  trim(by: Transaction, keep: number, most: number): void {
    this.identify(by);
    if (this.#trimming && this.#trimming !== by) return;
    this.#trimming = by;
    const snapshot = this.#published(by);
    const own = by.xid!;
    const last = this.#horizons.at(-1)!;
    const visible = this.#entries
      .filter((entry) => this.#isVisibleTo(by, entry))
      .toSorted((a, b) => Number(a.by.xid! - b.by.xid!));
    const later = visible.filter((entry) => entry.by.xid! >= last.xid);
    let upto = last.xid;
    if (keep === 0) upto = snapshot.xmax;
    else if (later.length > keep) {
      const at = later[Math.min(later.length - keep, most)]?.by.xid ?? last.xid;
      const next = later.find((entry) => entry.by.xid! > last.xid)?.by.xid ?? last.xid;
      upto = least(at === last.xid ? next : at, snapshot.xmax);
    }
    const horizon: Horizon = { ...last, ...this.#witness(by), by, published: snapshot };
    if (upto > last.xid) {
      const running = [own, ...snapshot.xip];
      const over = last.running.filter((xid) => !running.includes(xid));
      horizon.garbage = [...last.garbage, ...over];
      horizon.running = running.filter((xid) => xid < upto);
      horizon.xid = upto;
    }
    const doomed = visible
      .filter(({ by: { xid } }) => xid! >= horizon.cleared && xid! < horizon.xid)
      .filter(({ by: { xid } }) => !horizon.running.includes(xid!))
      .slice(0, most);
    if (doomed.length < most) {
      horizon.cleared = horizon.xid;
      const garbage = visible.filter((entry) => horizon.garbage.includes(entry.by.xid!));
      doomed.push(...garbage.slice(0, most));
      if (doomed.length < most) horizon.garbage = [];
    } else horizon.cleared = doomed.at(-1)!.by.xid!;
    this.#replaceHorizon(by, horizon, doomed);
  }

  /** Does what truncating the log does. Its lock waits for everybody who has written to the log. */
  truncateLog(by: Transaction): void {
    const busy = this.#entries.some((entry) =>
      [entry.by, entry.removedBy].some((one) => one && one !== by && !one.ended),
    );
    if (busy || (this.#trimming && this.#trimming !== by)) return;
    this.identify(by);
    this.#trimming = by;
    const snapshot = this.#published(by);
    const running = [by.xid!, ...snapshot.xip].filter((xid) => xid < snapshot.xmax);
    const horizon: Horizon = {
      ...{ by, xid: snapshot.xmax, cleared: snapshot.xmax, garbage: [] },
      ...{ running, published: snapshot },
      ...this.#witness(by),
    };
    const lost = this.#entries.filter((entry) => this.#isVisibleTo(by, entry));
    this.#replaceHorizon(by, horizon, lost);
    // Entries of this transaction itself are lost as well.
    this.#write(by, { by, ...this.#witness(by) });
    const [moveBack, removeEntry] = by.undo.splice(-2);
    by.undo.push(() => {
      removeEntry!();
      moveBack!();
    });
  }

  /** What a statement sees now. */
  snapshot(): Snapshot {
    const ended = new Set(this.committed.filter((one) => one.ended));
    const own = this.#published();
    const node = { run: this.run, own, xmin: least(own.xmax, ...own.xip) };
    return new Snapshot(ended, this.#rows, this.#entries, this.#horizons, node);
  }

  /** What a statement sees on a standby that has replayed this many commits. */
  standbySnapshot(commits: number, run = 'standby'): Snapshot {
    const replayed = new Set(this.committed.slice(0, commits));
    const node = { run, xmin: this.#wal[commits - 1]?.xmin ?? firstXid };
    return new Snapshot(replayed, this.#rows, this.#entries, this.#horizons, node);
  }

  readonly #ending: Transaction[] = [];

  #end(by: Transaction): void {
    by.ended = true;
    if (this.#trimming === by) this.#trimming = undefined;
    if (by.xid !== undefined && by.xid > this.#latestEnded) this.#latestEnded = by.xid;
  }

  /** The primary's snapshot: it lists the others that are running, up to the latest that has ended. */
  #published(own?: Transaction): Published {
    const xmax = this.#latestEnded + 1n;
    const xip = [...this.running, ...this.#ending]
      .filter((one) => one !== own)
      .map(({ xid }) => xid)
      .filter((xid) => xid !== undefined && xid < xmax) as bigint[];
    return { xmax, xip };
  }

  /** Of an entry that the transaction writes now. */
  #witness(by: Transaction): Witness {
    const { xmax, xip } = this.#published(by);
    this.#written = greatest(this.#written, by.xid!);
    return { nonce: newName(), oldest: least(xmax, by.xid!, ...xip) };
  }

  #isVisibleTo(by: Transaction, entry: Entry): boolean {
    const sees = (one: Transaction) => one === by || (one.ended && one.committing);
    return sees(entry.by) && !(entry.removedBy && sees(entry.removedBy));
  }

  #replaceHorizon(by: Transaction, horizon: Horizon, removed: Entry[]): void {
    this.#horizons.push(horizon);
    for (const entry of removed) entry.removedBy = by;
    by.undo.push(() => {
      this.#horizons.splice(this.#horizons.indexOf(horizon), 1);
      for (const entry of removed) entry.removedBy = undefined;
    });
  }

  #log(by: Transaction, change: Pick<Entry, 'before' | 'after'>): void {
    this.identify(by);
    by.listed += 1;
    const listed = by.listed <= this.#maxListed ? change : {};
    const changed: Entry = { ...listed, by, ...this.#witness(by) };
    const isNew = by.listed <= this.#maxListed + 1;
    if (isNew) this.#write(by, changed);
    const undo = by.undo.pop()!;
    const undoRow = isNew ? by.undo.pop()! : () => undefined;
    by.undo.push(() => {
      by.listed -= 1;
      undo();
      undoRow();
    });
  }

  #write(by: Transaction, entry: Entry): void {
    this.#entries.push(entry);
    by.undo.push(() => this.#entries.splice(this.#entries.indexOf(entry), 1));
  }
}

let snapshots = 0;

interface Node {
  run: string;
  xmin: bigint;
  /** A standby has no snapshot of its own. */
  own?: Published;
}

/** What a statement sees: fixed, whatever is written afterwards. */
export class Snapshot {
  /** Later snapshots of the same server have greater numbers. */
  readonly number = (snapshots += 1);
  /** The places of the matching customers. */
  readonly places: readonly number[];
  readonly moment: Moment;
  readonly #entries: readonly Entry[];
  readonly #nonces: ReadonlySet<string>;
  readonly sees: ReadonlySet<Transaction>;

  constructor(
    sees: ReadonlySet<Transaction>,
    rows: readonly Row[],
    entries: readonly Entry[],
    horizons: readonly Horizon[],
    { run, xmin, own }: Node,
  ) {
    this.sees = sees;
    const isVisible = ({ by, removedBy }: Pick<Entry, 'by' | 'removedBy'>) =>
      sees.has(by) && !(removedBy && sees.has(removedBy));
    this.places = rows.filter((row) => row.matches && isVisible(row)).map(({ place }) => place);
    this.#entries = entries.filter(isVisible);
    const horizon = horizons.findLast(({ by }) => by === undefined || sees.has(by))!;
    this.#nonces = new Set([horizon, ...this.#entries].map(({ nonce }) => nonce));
    const { xmax, xip } = own ?? horizon.published;
    const beyond = this.#since(xmax, xip).map(({ by }) => String(by.xid));
    this.moment = {
      ...{ identity: 'customers', run, witnessed: this.#witnessed(xmin, horizon) },
      snapshot: `0:${xmax}:${xip.join(',')}`,
      horizon: String(horizon.xid),
      running: horizon.running.map(String),
      beyond: own ? null : [...new Set(beyond)],
    };
  }

  #witnessed(xmin: bigint, horizon: Horizon): Witnessed {
    const last = this.#entries.toSorted((a, b) => Number(a.by.xid! - b.by.xid!)).at(-1);
    const { oldest, nonce } = last ?? horizon;
    const recent = this.#since(least(xmin, oldest), []).map(({ by }) => String(by.xid));
    return {
      ...{ xmin: String(xmin), xid: String(last?.by.xid ?? 0), oldest: String(oldest), nonce },
      recent: [...new Set(recent)].slice(0, mostRecent + 1),
    };
  }

  /** Those with visible entries, in the order of their ids. */
  transactionsSince(xid: bigint): bigint[] {
    const xids = new Set(this.#since(xid, []).map(({ by }) => by.xid!));
    return [...xids].toSorted((a, b) => Number(a - b));
  }

  /** What the log says to a state that comes from elsewhere. */
  arrivalOf({ since, seen, witness }: Portable): Arrival {
    const news = this.newsSince({ snapshot: { xmax: since, xip: [] }, seen });
    return { ...this.moment, ...news, known: this.#nonces.has(witness.nonce) };
  }

  /** What the log says since a state; `before` counts the places that are before the start of a page. */
  newsSince(
    { snapshot: { xmax, xip }, seen }: Pick<SearchState, 'snapshot' | 'seen'>,
    isBefore: (place: number) => boolean = () => false,
  ): News {
    const entries = this.#since(xmax, xip);
    const news = entries.filter(({ by }) => !seen.includes(by.xid!));
    const added = news.flatMap(({ after }) => (after?.matches ? [after.place] : []));
    const removed = news.flatMap(({ before }) => (before?.matches ? [before.place] : []));
    const before = (places: number[]) => places.filter(isBefore).length;
    const known = entries.map(({ by }) => by.xid!).filter((xid) => seen.includes(xid));
    return {
      entries: news.length,
      seen: new Set(known).size,
      recount: news.some(({ before, after }) => !before && !after),
      total: added.length - removed.length,
      before: before(added) - before(removed),
      added: toBytes(added),
      removed: toBytes(removed),
    };
  }

  #since(xmax: bigint, xip: readonly bigint[]): Entry[] {
    return this.#entries.filter(({ by }) => by.xid! >= xmax || xip.includes(by.xid!));
  }
}

function toBytes(places: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * places.length);
  places.forEach((place, i) => bytes.writeDoubleBE(place, 8 * i));
  return bytes;
}
