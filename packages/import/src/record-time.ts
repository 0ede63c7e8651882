const dayMs = 86_400_000;
/** For clocks that differ. */
const toleranceMs = 300_000;

/**
 * How far the time of a record is in the future. `far`: it must be wrong, and until then no other record could change
 * the customer. A day is enough for wrong clocks and for local times read as UTC.
 */
export function aheadBy(time: string): 'nothing' | 'hours' | 'far' {
  const now = Date.now();
  // Comparing years is enough for almost all times, and much faster.
  if (time < yearOf(now)) return 'nothing';
  const ms = Date.parse(time);
  if (ms <= now + toleranceMs) return 'nothing';
  // A time that cannot be compared is not known to be right.
  return ms <= now + dayMs ? 'hours' : 'far';
}

export const isFarAhead = (time: string): boolean => aheadBy(time) === 'far';

let [year, yearEnd] = ['', 0];

function yearOf(ms: number): string {
  if (ms >= yearEnd) {
    year = String(new Date(ms).getUTCFullYear());
    yearEnd = Date.UTC(Number(year) + 1);
  }
  return year;
}
