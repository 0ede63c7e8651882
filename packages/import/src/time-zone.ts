/** Converts local times to UTC, with the rules of daylight saving time. */
const dayMs = 86_400_000;

export class TimeZone {
  readonly #format: Intl.DateTimeFormat;
  /** Offsets at the start of UTC days; asking Intl for every time would be slow. */
  readonly #offsets = new Map<number, number>();

  /** `name` is an IANA name such as `Europe/Berlin`. Throws a RangeError if it is unknown. */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /**
   * `local` is the time on the clock, in milliseconds as if it were UTC. A time that the clock shows twice
   * is the first of the two; a time that it skips is as much later as the clock was moved (RFC 5545).
   */
  toUtc(local: number): number {
    const day = Math.floor(local / dayMs);
    const before = this.#offsetOfDay(day - 1);
    const after = this.#offsetOfDay(day + 2);
    if (before === after || this.#offsetAt(local - before) === before) return local - before;
    return local - (this.#offsetAt(local - after) === after ? after : before);
  }

  #offsetOfDay(day: number): number {
    let offset = this.#offsets.get(day);
    if (offset === undefined) this.#offsets.set(day, (offset = this.#offsetAt(day * dayMs)));
    return offset;
  }

  #offsetAt(utc: number): number {
    const [, sign, hours, minutes = '0', seconds = '0'] =
      /GMT([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(this.#format.format(utc)) ?? [];
    if (sign === undefined) return 0;
    const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (sign === '-' ? -offset : offset) * 1_000;
  }
}
