/**
 * Parses dates as databases, programs, spreadsheets and people write them, and rejects those that could mean
 * two different days.
 */
import { fault, type Fault } from './faults.ts';
import type { TimeZone } from './time-zone.ts';

/** How to read 03/04/2026. If undefined, only unambiguous dates such as 31/01/2026 are accepted. */
export type DateOrder = 'dmy' | 'mdy' | undefined;

export interface DateOptions {
  order?: DateOrder;
  /** The zone of times that do not name one; UTC if undefined. */
  zone?: TimeZone | undefined;
  /** Called for a time of day that was read as UTC because nothing says otherwise. */
  onLocalTime?: (() => void) | undefined;
}

const wire = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const clock = String.raw`(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([AaPp])?(?:\.?[Mm]\.?)?`;
const zone = String.raw`(Z|(?:UTC|GMT)?[+-]\d\d(?::?\d\d)?|UTC|GMT)?`;
const time = String.raw`(?:(?:T|,?\s+(?:at\s+|um\s+)?)${clock}\s*${zone})?$`;
const yearFirst = new RegExp(String.raw`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})${time}`);
const onlyDigits = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)${time}`);
const weekday = String.raw`^(?:\p{L}{2,}[.,]{0,2}\s+)?`;
const dayThenMonth = new RegExp(
  String.raw`${weekday}(\d{1,2})(?:\.|st|nd|rd|th)?[-\s]\s*(?:de\s+)?(\p{L}{3,})\.?,?[-\s]\s*(?:de\s+)?(\d{4}|\d\d)${time}`,
  'u',
);
const monthThenDay = new RegExp(
  String.raw`${weekday}(\p{L}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${time}`,
  'u',
);
/** Milliseconds per unit, by number of digits: seconds, milliseconds or microseconds since 1970. */
const epochUnits = new Map([
  [9, 1_000],
  [10, 1_000],
  [12, 1],
  [13, 1],
  [16, 1 / 1_000],
]);

/** Returns ISO 8601 that PostgreSQL accepts. */
export function parseDate(text: string, options: DateOptions = {}): string | Fault {
  if (wire.test(text)) {
    const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)];
    return isDay(Number(year), Number(month), Number(day)) ? text : fault['date-range'];
  }
  const trimmed = text.trim();
  const first = yearFirst.exec(trimmed);
  if (first) {
    const [, year, month, day, ...rest] = first;
    return assemble(Number(year), Number(month), Number(day), rest, options);
  }
  const digits = onlyDigits.exec(trimmed);
  if (digits) return assemble(Number(digits[1]), Number(digits[2]), Number(digits[3]), [], options);
  const last = yearLast.exec(trimmed);
  if (last) return numeric(last, options);
  const unit = /^\d+$/.test(trimmed) ? epochUnits.get(trimmed.length) : undefined;
  if (unit !== undefined) return new Date(Math.trunc(Number(trimmed) * unit)).toISOString();
  return written(trimmed, options) ?? fault.date;
}

function numeric(match: RegExpExecArray, options: DateOptions): string | Fault {
  const [, a, separator, b, year, ...rest] = match;
  const { order } = options;
  const [one, two] = [Number(a), Number(b)];
  // Dates with dots always start with the day. With a short year, any of the three could be the year.
  const shortYear = year!.length === 2 && separator !== '.';
  const dayFirst =
    separator === '.' || order === 'dmy' || (order === undefined && one > 12 && !shortYear);
  const monthFirst = !dayFirst && (order === 'mdy' || (!shortYear && (two > 12 || one === two)));
  if (!dayFirst && !monthFirst) return fault['date-ambiguous'];
  return assemble(fullYear(year!), dayFirst ? two : one, dayFirst ? one : two, rest, options);
}

/** `Jan 31, 2024`, `31 January 2024`, `31. Januar 2024`. */
function written(text: string, options: DateOptions): string | Fault | undefined {
  const dayFirst = dayThenMonth.exec(text);
  const [, a, b, year, ...rest] = dayFirst ?? monthThenDay.exec(text) ?? [];
  if (a === undefined) return undefined;
  const [day, name] = dayFirst ? [a, b!] : [b!, a];
  const month = monthNumbers().get(foldMonth(name));
  if (month === undefined) return undefined;
  return assemble(fullYear(year!), month, Number(day), rest, options);
}

const fullYear = (year: string): number =>
  year.length === 4 ? Number(year) : Number(year) + (Number(year) < 70 ? 2_000 : 1_900);

const foldMonth = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '');

let months: Map<string, number> | undefined;

/** The names of months, long and short, in the languages whose exports we have seen. */
function monthNumbers(): Map<string, number> {
  if (months) return months;
  months = new Map([
    ['sept', 9],
    ['mrz', 3],
  ]); // Common, but not what Intl writes.
  for (const locale of ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']) {
    for (const length of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(locale, { month: length, timeZone: 'UTC' });
      for (let month = 0; month < 12; month += 1) {
        months.set(foldMonth(format.format(Date.UTC(2024, month, 15))), month + 1);
      }
    }
  }
  return months;
}

function assemble(
  year: number,
  month: number,
  day: number,
  [hour, minute = '00', second = '00', fraction = '0', meridiem, zone]: (string | undefined)[],
  options: DateOptions,
): string | Fault {
  let hours = Number(hour ?? 0);
  if (meridiem !== undefined) {
    if (hours < 1 || hours > 12) return fault['date-range'];
    hours = (hours % 12) + (/^p/i.test(meridiem) ? 12 : 0);
  }
  const invalidTime = hours > 23 || Number(minute) > 59 || Number(second) > 59;
  if (invalidTime || !isDay(year, month, day)) return fault['date-range'];
  const offset = zone?.replace(/^(UTC|GMT|Z)/, '');
  const [, offsetHours = '00', offsetMinutes = '00'] =
    /^[+-](\d\d):?(\d\d)?$/.exec(offset ?? '') ?? [];
  if (Number(offsetHours) > 15 || Number(offsetMinutes) > 59) return fault['date-range'];
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  const local = `${date}T${pad(hours)}:${minute}:${second}.${fraction}`;
  // With minutes, because `Date.parse` does not know an offset such as +02.
  if (offset) return `${local}${offset[0]}${offsetHours}:${offsetMinutes}`;
  if (offset !== undefined) return `${local}Z`;
  if (options.zone) return new Date(options.zone.toUtc(Date.parse(`${local}Z`))).toISOString();
  if (hour !== undefined) options.onLocalTime?.();
  return `${local}Z`;
}

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

const daysPerMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : daysPerMonth[month - 1]!);
}
