/**
 * An in-memory model of transactions that write customers and the change log, with PostgreSQL's rules:
 * a transaction gets its id at its first write, transactions end in any order, a row has one writer at
 * a time, and a snapshot sees what has committed. A standby sees a prefix of the same commits, and knows
 * only the ids in the WAL it has received.
 */
import type { Moment } from '../../src/customers/maps/search-state.ts';

interface Row {
  place: number;
  /** The open transaction that wrote it. */
  writer?: Transaction | undefined;
}

interface Entry {
  by: Transaction;
  sign: number;
  place: number;
  /** The number of the commit that trimmed it. */
  trimmed?: number;
}

interface Transaction {
  xid?: bigint;
  /** How to undo each of its writes, in the order they were made. */
  undo: (() => void)[];
  listed: number | 'too many';
  /** The number of its commit, if it has committed. */
  committed?: number;
  over: boolean;
}

export interface Snapshot {
  /** The places of all customers visible to it. */
  places: readonly number[];
  xmin: bigint;
  moment(since: bigint): Moment;
}

export class SimulatedLog {
  readonly running: Transaction[] = [];
  readonly #rows = new Set<Row>();
  readonly #entries: Entry[] = [];
  /** The state after each commit: the customers, and the horizon of the log. */
  readonly #commits: { places: number[]; horizon: bigint }[] = [{ places: [], horizon: 100n }];
  /** What a standby receives: the id of a transaction that wrote or ended, and the commits up to then. */
  readonly #sent: { xid: bigint; over: boolean; commits: number }[] = [];
  readonly #maxListed: number;
  #nextXid = 100n;

  /** The log lists at most `maxListed` changes of a transaction. */
  constructor(maxListed: number) {
    this.#maxListed = maxListed;
  }

  get sent(): number {
    return this.#sent.length;
  }

  begin(): Transaction {
    const transaction: Transaction = { undo: [], listed: 0, over: false };
    this.running.push(transaction);
    return transaction;
  }

  /** Assigns a transaction id, possibly before anything is written. */
  identify(by: Transaction): bigint {
    return (by.xid ??= this.#nextXid++);
  }

  insert(by: Transaction, place: number): void {
    const row: Row = { place, writer: by };
    this.#rows.add(row);
    by.undo.push(() => this.#rows.delete(row));
    this.#log(by, [{ by, sign: 1, place }]);
  }

  /** Deletes or moves the n-th row that the transaction may write. */
  change(by: Transaction, n: number, to?: number): void {
    const free = [...this.#rows].filter(({ writer }) => writer === undefined || writer === by);
    const row = free[n % free.length];
    if (!row) return;
    const place = row.place;
    this.#rows.delete(row);
    const moved: Row | undefined = to === undefined ? undefined : { place: to, writer: by };
    if (moved) this.#rows.add(moved);
    // Others still see a row that an open transaction has deleted.
    const ghost: Row | undefined = row.writer ? undefined : row;
    if (ghost) this.#ghosts.set(ghost, by);
    by.undo.push(() => {
      if (moved) this.#rows.delete(moved);
      if (ghost) this.#ghosts.delete(ghost);
      this.#rows.add(row);
    });
    const added: Entry[] = moved ? [{ by, sign: 1, place: moved.place }] : [];
    this.#log(by, [{ by, sign: -1, place }, ...added]);
  }

  /** Rolls back to a savepoint, undoing the last n writes. */
  rollBackTo(by: Transaction, n: number): void {
    for (const undo of by.undo.splice(Math.max(0, by.undo.length - n)).toReversed()) undo();
  }

  end(by: Transaction, how: 'commit' | 'abort'): void {
    if (how === 'abort') this.rollBackTo(by, by.undo.length);
    by.over = true;
    this.running.splice(this.running.indexOf(by), 1);
    for (const row of this.#rows) if (row.writer === by) row.writer = undefined;
    for (const [ghost, remover] of this.#ghosts) if (remover === by) this.#ghosts.delete(ghost);
    if (by.xid === undefined) return;
    if (how === 'commit') this.#commit(by, this.#commits.at(-1)!.horizon);
    this.#sent.push({ xid: by.xid, over: true, commits: this.#commits.length });
  }

  /** Does what clientele.trim_changes does. */
  trim(keep: number): void {
    const by = this.begin();
    this.identify(by);
    const commits = this.#commits.length;
    const seen = this.#entries.filter((entry) => isSeen(entry, commits));
    const xmin = this.#oldest();
    const kept = seen.at(-Math.max(1, keep))?.by.xid ?? seen[0]?.by.xid;
    const until = kept !== undefined && kept < xmin ? kept : xmin;
    const trimmed = seen.filter((entry) => entry.by.xid! < until);
    for (const entry of trimmed) entry.trimmed = commits;
    const { horizon } = this.#commits.at(-1)!;
    by.over = true;
    this.running.splice(this.running.indexOf(by), 1);
    this.#commit(by, trimmed.length > 0 ? until : horizon);
    this.#sent.push({ xid: by.xid!, over: true, commits: this.#commits.length });
  }

  snapshot(): Snapshot {
    return this.#snapshot(this.#commits.length, this.#oldest());
  }

  /** The snapshot of a standby that has received this much. */
  standbySnapshot(sent: number): Snapshot {
    const received = this.#sent.slice(0, sent);
    const over = new Set(received.filter((one) => one.over).map(({ xid }) => xid));
    const latest = received.reduce((most, { xid }) => (xid > most ? xid : most), 99n);
    let xmin = 100n;
    while (xmin <= latest && over.has(xmin)) xmin += 1n;
    return this.#snapshot(received.at(-1)?.commits ?? 1, xmin);
  }

  readonly #ghosts = new Map<Row, Transaction>();

  #oldest(): bigint {
    const ids = this.running.map(({ xid }) => xid).filter((xid) => xid !== undefined);
    return ids.reduce((least, xid) => (xid < least ? xid : least), this.#nextXid);
  }

  #commit(by: Transaction, horizon: bigint): void {
    by.committed = this.#commits.length;
    const places = [
      ...[...this.#rows].filter(({ writer }) => writer === undefined),
      ...this.#ghosts.keys(),
    ].map(({ place }) => place);
    this.#commits.push({ places, horizon });
  }

  #log(by: Transaction, entries: Entry[]): void {
    this.identify(by);
    this.#sent.push({ xid: by.xid!, over: false, commits: this.#commits.length });
    const before = by.listed;
    if (before === 'too many') return;
    const tooMany = before + entries.length > this.#maxListed;
    by.listed = tooMany ? 'too many' : before + entries.length;
    const written = tooMany ? [{ by, sign: 0, place: 0 }] : entries;
    this.#entries.push(...written);
    const undoRow = by.undo.pop()!;
    by.undo.push(() => {
      undoRow();
      by.listed = before;
      for (const entry of written) this.#entries.splice(this.#entries.indexOf(entry), 1);
    });
  }

  #snapshot(commits: number, xmin: bigint): Snapshot {
    const { places, horizon } = this.#commits[commits - 1]!;
    const seen = this.#entries.filter((entry) => isSeen(entry, commits));
    return {
      places,
      xmin,
      moment: (since) => ({
        server: '',
        xmin: String(xmin),
        horizon: String(horizon),
        changes: seen
          .filter(({ by }) => by.xid! >= since)
          .map(({ by, sign, place }) => [String(by.xid), sign, place]),
      }),
    };
  }
}

const isSeen = ({ by, trimmed }: Entry, commits: number): boolean =>
  by.committed !== undefined &&
  by.committed < commits &&
  (trimmed === undefined || trimmed >= commits);
