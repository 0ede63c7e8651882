/** Periods in words. The service counts in UTC, so they are written in UTC. */
import type { TimelineUnit } from '@clientele/client';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale + JSON.stringify(options);
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  formats.set(key, made);
  return made;
}

const month: Intl.DateTimeFormatOptions = { month: 'long', year: 'numeric' };
const months: Intl.DateTimeFormatOptions = { month: 'short', year: 'numeric' };
const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const hour: Intl.DateTimeFormatOptions = {
  ...day,
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};

const styles: Record<TimelineUnit, Intl.DateTimeFormatOptions> = {
  hour,
  day,
  week: day,
  month,
  quarter: months,
  year: { year: 'numeric' },
};

/** Everything from one instant up to another, which is excluded: “March 2024”, “3–9 Mar 2024”. */
export function periodText(locale: string, unit: TimelineUnit, from: Date, to: Date): string {
  const last = new Date(unit === 'hour' ? to : to.getTime() - 1);
  return format(locale, styles[unit]).formatRange(from, last);
}

/** Where a period starts, for the ends of an axis. */
export function startText(locale: string, unit: TimelineUnit, from: Date): string {
  return format(locale, unit === 'month' ? months : styles[unit]).format(from);
}

/** A day, or an instant to the minute. */
export function dayText(locale: string, at: Date, isDay: boolean): string {
  return format(locale, isDay ? day : hour).format(at);
}
