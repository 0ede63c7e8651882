/**
 * Whether a page that was read a moment ago is what the database would show now. Checking that is cheaper than
 * reading the page, and all waiting requests share the check. While others write, it would fail and cost a
 * round trip, so it is made only if it has a chance.
 */
import type { Lane, View } from '@clientele/directory';
import { RequestCoalescer } from '../responses/request-coalescer.ts';
import { auditedNameStatement, snapshotNameStatement } from './state/search-state.ts';

/** PostgreSQL shows the same to every statement at this point. Null if that cannot be known. */
export type Point = string | number | null;

export interface PageAge {
  /** Called before a page is read. */
  begin(): Point;
  /** Returns the point at which the page was read, given the name of its snapshot and what `begin` returned. */
  readAt(name: string | null, begun: Point): Point;
  /** Whether a check has a chance. */
  mayBeNow(point: Point): boolean;
  isNow(point: Point, signal: AbortSignal): Promise<boolean>;
}

/** Any commit makes another snapshot, so a point is the name of one. */
export class SnapshotAge implements PageAge {
  readonly #lane: Lane;
  readonly #view: View;
  readonly #checks = new RequestCoalescer<Point>();
  /** The snapshot of the latest statement, and whether the one before it had the same. */
  #latest: Point = null;
  #steady = false;

  constructor(lane: Lane, view: View) {
    this.#lane = lane;
    this.#view = view;
  }

  begin(): Point {
    return null;
  }

  readAt(name: string | null): Point {
    this.#steady = name === this.#latest;
    this.#latest = name;
    return name;
  }

  mayBeNow(point: Point): boolean {
    return this.#steady && point === this.#latest;
  }

  async isNow(point: Point, signal: AbortSignal): Promise<boolean> {
    const now = await this.#checks.join('', signal, async (wanted) => {
      const [row] = await this.#lane.query<{ name: string | null }>(
        snapshotNameStatement[this.#view],
        [],
        wanted,
      );
      return this.readAt(row!.name);
    });
    return now === point;
  }
}

/** After a check has failed, how long none is made, in milliseconds. */
const pauseMs = 100;

/**
 * Where reads are audited, they commit too. A point is a number, which a check leaves as it is if there was nothing
 * but audited reads since the check before. A page was read after the last check when it began.
 */
export class AuditedAge implements PageAge {
  readonly #lane: Lane;
  readonly #view: View;
  readonly #checks = new RequestCoalescer<number>();
  #point = 0;
  #checked: { place: string; xmax: string; xip: string[] } | undefined;
  #failedAt = -Infinity;

  constructor(lane: Lane, view: View) {
    this.#lane = lane;
    this.#view = view;
  }

  begin(): Point {
    return this.#point;
  }

  readAt(name: string | null, begun: Point): Point {
    return name === null ? null : begun;
  }

  mayBeNow(point: Point): boolean {
    return point === this.#point && performance.now() > this.#failedAt + pauseMs;
  }

  async isNow(point: Point, signal: AbortSignal): Promise<boolean> {
    return (await this.#checks.join('', signal, (wanted) => this.#check(wanted))) === point;
  }

  async #check(signal: AbortSignal): Promise<number> {
    const before = this.#checked;
    const [row] = await this.#lane.query<{ place: string | null; snapshot: string; same: boolean }>(
      auditedNameStatement[this.#view],
      [before?.xmax ?? null, before?.xip ?? null],
      signal,
    );
    const { place, snapshot, same } = row!;
    const [, xmax, xip] = snapshot.split(':') as [string, string, string];
    this.#checked =
      place === null ? undefined : { place, xmax, xip: xip === '' ? [] : xip.split(',') };
    if (!before || !same || place !== before.place) {
      this.#point += 1;
      // The first check has nothing to compare with.
      if (before) this.#failedAt = performance.now();
    }
    return this.#point;
  }
}
