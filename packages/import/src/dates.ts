/**
 * Parses dates as databases, programs and spreadsheets write them, and rejects those that could mean two
 * different days. Dates without a time zone are UTC.
 */
import { fault, type Fault } from './faults.ts';

/** How to read 03/04/2026. If undefined, only unambiguous dates such as 31/01/2026 are accepted. */
export type DateOrder = 'dmy' | 'mdy' | undefined;

const wire = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const time = String.raw`(?:[T ]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([AaPp][Mm])?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?`;
const yearFirst = new RegExp(String.raw`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})${time}$`);
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}),?${time}$`);
/** Milliseconds per unit, by number of digits: seconds, milliseconds or microseconds since 1970. */
const epochUnits = new Map([
  [10, 1_000],
  [13, 1],
  [16, 1 / 1_000],
]);

/** Returns ISO 8601 that PostgreSQL accepts. */
export function parseDate(text: string, order: DateOrder): string | Fault {
  const fast = wire.exec(text);
  if (fast) {
    const [, year, month, day] = fast;
    return isDay(Number(year), Number(month), Number(day)) ? text : fault['date-range'];
  }
  const trimmed = text.trim();
  const first = yearFirst.exec(trimmed);
  if (first) {
    const [, year, month, day, ...clock] = first;
    return assemble(Number(year), Number(month), Number(day), clock);
  }
  const last = yearLast.exec(trimmed);
  if (last) {
    const [, a, separator, b, year, ...clock] = last;
    const [one, two] = [Number(a), Number(b)];
    // Dates with dots always start with the day.
    const dayFirst = separator === '.' || order === 'dmy' || (order === undefined && one > 12);
    const monthFirst = !dayFirst && (order === 'mdy' || two > 12 || one === two);
    if (!dayFirst && !monthFirst) return fault['date-ambiguous'];
    return assemble(Number(year), dayFirst ? two : one, dayFirst ? one : two, clock);
  }
  const unit = /^\d+$/.test(trimmed) ? epochUnits.get(trimmed.length) : undefined;
  if (unit !== undefined) return new Date(Math.trunc(Number(trimmed) * unit)).toISOString();
  return fault.date;
}

function assemble(
  year: number,
  month: number,
  day: number,
  [hour = '0', minute = '00', second = '00', fraction = '0', meridiem, zone = 'Z']: (
    | string
    | undefined
  )[],
): string | Fault {
  let hours = Number(hour);
  if (meridiem !== undefined) {
    if (hours < 1 || hours > 12) return fault['date-range'];
    hours = (hours % 12) + (/^p/i.test(meridiem) ? 12 : 0);
  }
  const invalidTime = hours > 23 || Number(minute) > 59 || Number(second) > 59;
  if (invalidTime || !isDay(year, month, day)) return fault['date-range'];
  const offset = /^[+-](\d\d):?(\d\d)?$/.exec(zone);
  if (offset && (Number(offset[1]) > 15 || Number(offset[2] ?? 0) > 59)) return fault['date-range'];
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  return `${date}T${pad(hours)}:${minute}:${second}.${fraction}${zone === 'UTC' ? 'Z' : zone}`;
}

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

const daysPerMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : daysPerMonth[month - 1]!);
}
