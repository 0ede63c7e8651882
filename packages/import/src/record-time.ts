const dayMs = 86_400_000;

/**
 * Whether the time of a record is so far in the future that it must be wrong: until then, no other record
 * could change the customer. A day is enough for wrong clocks and for local times read as UTC.
 */
export function isFarAhead(time: string): boolean {
  const limit = Date.now() + dayMs;
  // Comparing years is enough for almost all times, and much faster.
  return Number(time.slice(0, 4)) >= yearOf(limit) && Date.parse(time) > limit;
}

let [year, yearEnd] = [0, 0];

function yearOf(ms: number): number {
  if (ms >= yearEnd) {
    year = new Date(ms).getUTCFullYear();
    yearEnd = Date.UTC(year + 1);
  }
  return year;
}
