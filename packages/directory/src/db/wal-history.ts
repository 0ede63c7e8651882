/**
 * When the primary had written how much: measures how old a replica's data is without comparing clocks.
 * An idle primary makes nobody old, because its position is confirmed again and again.
 */
const mostEntries = 600;

export class WalHistory {
  /** Both ascending. `at` is on the monotonic clock. */
  #entries: { at: number; position: number }[] = [];

  /** The primary had written up to `position` when, or after, it was asked at `at`. */
  note(at: number, position: number): void {
    // After a failover, what the old primary wrote beyond this position is lost.
    this.#entries = this.#entries.filter((entry) => entry.position < position).slice(-mostEntries);
    this.#entries.push({ at, position });
  }

  /** A server that has replayed up to `position` shows everything written by this time. */
  shownBy(position: number): number {
    return this.#entries.findLast((entry) => entry.position <= position)?.at ?? -Infinity;
  }
}
