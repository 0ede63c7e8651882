/** Refuses responses to a caller that has been shown as many customers as it may be shown in one day. */
import { type DailyRecords, isLimited, secondsLeftToday } from './keys/daily-records.ts';
import type { Caller } from './keys/key-ring.ts';
import { ProblemError } from '../http/problems.ts';

export class RecordsLimit {
  readonly #records: DailyRecords;

  constructor(records: DailyRecords) {
    this.#records = records;
  }

  /** Before any work. */
  check(caller: Caller | null): void {
    if (isLimited(caller) && this.#records.isUsedUp(caller)) throw usedUp();
  }

  /** Counts what is about to be shown, before it is. */
  async take(caller: Caller | null, records: number): Promise<void> {
    if (isLimited(caller) && !(await this.#records.take(caller, records))) throw usedUp();
  }
}

const usedUp = (): ProblemError =>
  new ProblemError('records-used-up', undefined, {
    headers: { 'retry-after': String(secondsLeftToday()) },
  });
