/** Calendar periods in UTC. A week starts on Monday. */
import { timelineUnits, type TimelineUnit } from '@clientele/contract';

interface Calendar {
  /** The number of the period that an instant is in, in milliseconds since 1970. */
  indexOf(instant: number): number;
  /** When a period starts. */
  startOf(index: number): number;
}

const hour = 3_600_000;

const every = (length: number, shift = 0): Calendar => ({
  indexOf: (instant) => Math.floor((instant + shift) / length),
  startOf: (index) => index * length - shift,
});

const everyMonths = (months: number): Calendar => ({
  indexOf: (instant) => {
    const date = new Date(instant);
    return Math.floor((12 * date.getUTCFullYear() + date.getUTCMonth()) / months);
  },
  // Date.UTC() takes the years before 100 for those of the last century.
  startOf: (index) => new Date(0).setUTCFullYear(0, months * index, 1),
});

const calendars: Record<TimelineUnit, Calendar> = {
  hour: every(hour),
  day: every(24 * hour),
  // 1970 began on a Thursday.
  week: every(7 * 24 * hour, 3 * 24 * hour),
  month: everyMonths(1),
  quarter: everyMonths(3),
  year: everyMonths(12),
};

export interface Periods {
  unit: TimelineUnit;
  /** When each starts, the oldest first. */
  starts: number[];
}

/** The smallest unit with at most `most` periods from the oldest to the newest instant. Of years, the latest. */
export function periodsBetween(oldest: number, newest: number, most: number): Periods {
  const lengthIn = (unit: TimelineUnit): number =>
    calendars[unit].indexOf(newest) - calendars[unit].indexOf(oldest) + 1;
  const unit = timelineUnits.find((each) => lengthIn(each) <= most) ?? 'year';
  const calendar = calendars[unit];
  const length = Math.min(most, lengthIn(unit));
  const first = calendar.indexOf(newest) - length + 1;
  return { unit, starts: Array.from({ length }, (_, i) => calendar.startOf(first + i)) };
}
