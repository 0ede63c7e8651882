/**
 * How many customers a caller with a daily limit is shown, counted on the primary for all instances before a
 * response is sent: the control against a stolen key that copies the directory. Without a primary, each instance
 * counts by itself from what it last knew, so that reads survive its loss (docs/decisions/scopes.md).
 */
import { LruMap, type Queries } from '@clientele/directory';
import type { Caller } from './key-ring.ts';

const mostAccounts = 10_000;
const mostAtOnce = 200;
/** For records that were shown already: they count whatever the limit is. */
const noLimit = Number.MAX_SAFE_INTEGER;
const dayMs = 86_400_000;
/** How long the primary is not asked again: its day may begin a little later than ours. */
const usedUpMs = 10_000;

export type LimitedCaller = Pick<Caller, 'id'> & { recordsPerDay: number };

export const isLimited = (caller: Caller | null): caller is Caller & LimitedCaller =>
  caller?.recordsPerDay !== undefined;

interface Account {
  /** Since the epoch, in UTC. */
  day: number;
  /** By all instances, as the primary last said. */
  shown: number;
  /** When it said so, on the monotonic clock. */
  at: number;
  /** By this instance, while there was no primary. */
  unreported: number;
}

interface Waiting {
  caller: LimitedCaller;
  records: number;
  settle: (taken: boolean) => void;
}

export class DailyRecords {
  readonly #primary: Queries;
  readonly #accounts = new LruMap<string, Account>(mostAccounts);
  #waiting: Waiting[] = [];
  #isCounting = false;

  constructor(primary: Queries) {
    this.#primary = primary;
  }

  /** Whether nothing more may be shown today, as the primary said a moment ago. Without a query. */
  isUsedUp({ id, recordsPerDay }: LimitedCaller): boolean {
    const { shown, at } = this.#accountOf(id);
    return shown >= recordsPerDay && performance.now() - at < usedUpMs;
  }

  /** Counts records that are about to be shown. False if they would exceed the limit, and may not be. */
  take(caller: LimitedCaller, records: number): Promise<boolean> {
    if (records === 0) return Promise.resolve(true);
    return new Promise((settle) => {
      this.#waiting.push({ caller, records, settle });
      if (!this.#isCounting) void this.#count();
    });
  }

  /** One statement at a time, for all that wait. */
  async #count(): Promise<void> {
    this.#isCounting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, mostAtOnce);
      this.#waiting = this.#waiting.slice(mostAtOnce);
      await this.#countOnPrimary(batch).catch(() => this.#countHere(batch));
    }
    this.#isCounting = false;
  }

  async #countOnPrimary(batch: Waiting[]): Promise<void> {
    const ids = new Set(batch.map(({ caller }) => caller.id));
    const late = [...ids].flatMap((id) => {
      const account = this.#accountOf(id);
      return account.unreported > 0 ? [{ id, account, records: account.unreported }] : [];
    });
    const items = [
      ...late.map(({ id, records }) => ({ id, records, limit: noLimit })),
      ...batch.map(({ caller, records }) => ({
        id: caller.id,
        records,
        limit: caller.recordsPerDay,
      })),
    ];
    const rows = await this.#primary.query<{ item: number; taken: boolean; shown: string }>(
      statement,
      [
        items.map(({ id }) => id),
        items.map(({ records }) => records),
        items.map(({ limit }) => limit),
      ],
    );
    const at = performance.now();
    for (const { account, records } of late) account.unreported -= records;
    // Amounts of one caller are counted in order, so the last row has its sum.
    for (const { item, taken, shown } of rows) {
      Object.assign(this.#accountOf(items[item - 1]!.id), { shown: Number(shown), at });
      batch[item - 1 - late.length]?.settle(taken);
    }
  }

  #countHere(batch: Waiting[]): void {
    for (const { caller, records, settle } of batch) {
      const account = this.#accountOf(caller.id);
      const isLeft = account.shown + account.unreported + records <= caller.recordsPerDay;
      if (isLeft) account.unreported += records;
      settle(isLeft);
    }
  }

  #accountOf(id: string): Account {
    const day = Math.floor(Date.now() / dayMs);
    const known = this.#accounts.get(id);
    if (known?.day === day) return known;
    const account = { day, shown: 0, at: 0, unreported: 0 };
    this.#accounts.set(id, account);
    return account;
  }
}

/** Until the next day, in UTC. */
export const secondsLeftToday = (): number => Math.ceil((dayMs - (Date.now() % dayMs)) / 1_000);

const statement = {
  name: 'take-records',
  text: 'select t.item, t.taken, t.shown from clientele.take_records($1, $2, $3) as t',
};
