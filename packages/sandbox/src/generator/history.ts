/** When a customer came, and what was ordered since. */
import { type Random, weightedIndex } from './random.ts';

const hour = 3_600_000;
const day = 24 * hour;
const days = 3652;
/** The instant of the data set: fixed, because the same seed has to make the same rows for ever. */
export const dataSetEnd = Date.UTC(2026, 9, 31, 23, 59, 59, 999);
const start = dataSetEnd + 1 - days * day;

const table = (size: number, text: (value: number) => string) =>
  Array.from({ length: size }, (_, value) => text(value));
const dates = table(days, (value) => new Date(start + value * day).toISOString().slice(0, 11));
const minutes = table(1440, (value) => new Date(value * 60_000).toISOString().slice(11, 17));
const seconds = table(60, (value) => `${String(value).padStart(2, '0')}.`);
const milliseconds = table(1000, (value) => `${String(value).padStart(3, '0')}Z`);

/** `toISOString` for moments of the data set, several times as fast. */
export function isoText(moment: number): string {
  const elapsed = moment - start;
  const dayNumber = Math.floor(elapsed / day);
  const time = elapsed - dayNumber * day;
  return (
    dates[dayNumber]! +
    minutes[Math.floor(time / 60_000)]! +
    (seconds[Math.floor(time / 1000) % 60]! + milliseconds[time % 1000]!)
  );
}

/** Per day of the last year there are this many times more newcomers than at the start, less one. */
const growth = 6;
/** Hours of the customer's own day, midnight first. */
const localHour = weightedIndex(
  '9 5 3 2 2 4 10 20 32 42 48 50 52 48 46 46 48 52 58 66 74 70 48 24'.split(' ').map(Number),
);

export interface History {
  createdAt: number;
  orders: number;
  valueCents: number;
  lastOrderAt: number | null;
}

/** A moment of that day, by the clock at the customer's place, within the data set's ten years. */
function momentOf(random: Random, dayNumber: number, utcOffset: number): number {
  const time = (localHour(random) - utcOffset) * hour + random.below(hour);
  const moment = start + dayNumber * day + time;
  if (moment > dataSetEnd) return moment - day;
  return moment < start ? moment + day : moment;
}

function arrival(random: Random, utcOffset: number): number {
  const share = (Math.sqrt(1 + growth * (2 + growth) * random.unit()) - 1) / growth;
  const dayNumber = Math.floor(share * days);
  // Some came in one of the imports that ran every fourth week: they tie to the millisecond.
  if (random.chance(0.002)) return start + (dayNumber - (dayNumber % 28)) * day + 3 * hour;
  return momentOf(random, dayNumber, utcOffset);
}

function lastOrder(random: Random, createdAt: number, orders: number, utcOffset: number): number {
  const soon = createdAt + 60_000 + random.below(hour);
  if (orders === 1 && random.chance(0.55)) return Math.min(soon, dataSetEnd);
  // The last of several: the more orders, the nearer to the end.
  const share = random.unit() ** (1 / Math.min(orders, 6));
  const elapsed = createdAt - start + share * (dataSetEnd - createdAt);
  const moment = momentOf(random, Math.floor(elapsed / day), utcOffset);
  return Math.min(Math.max(moment, soon), dataSetEnd);
}

export function history(random: Random, business: boolean, utcOffset: number): History {
  const createdAt = arrival(random, utcOffset);
  if (random.chance(business ? 0.25 : 0.42)) {
    return { createdAt, orders: 0, valueCents: 0, lastOrderAt: null };
  }
  const tenure = (dataSetEnd - createdAt) / (days * day);
  const longTail = (1 - random.unit()) ** -0.6 - 1;
  const orders = 1 + Math.floor(longTail * (0.5 + 3 * tenure) * (business ? 2 : 1));
  // Most baskets are near 40, a few are ten times that.
  const bell = random.unit() + random.unit() + random.unit() - 1.5;
  const basket = (business ? 9000 : 4000) * Math.exp(1.6 * bell);
  let valueCents = Math.round(orders * basket * (0.8 + 0.4 * random.unit()));
  if (random.chance(0.006)) valueCents = 0; // all of it paid back
  if (random.chance(0.004)) valueCents = -Math.round(basket * random.unit()) - 1; // and more
  return {
    createdAt,
    orders,
    valueCents,
    lastOrderAt: lastOrder(random, createdAt, orders, utcOffset),
  };
}
