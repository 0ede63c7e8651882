/** When a customer was created, and the orders since then. */
import { type Random, weightedIndex } from './random.ts';

const hour = 3_600_000;
const day = 24 * hour;
const days = 3652;
/** The end of the generated history. Fixed, because a seed must always generate the same rows. */
const dataSetEnd = Date.UTC(2026, 9, 31, 23, 59, 59, 999);
const start = dataSetEnd + 1 - days * day;

const table = (size: number, text: (value: number) => string) =>
  Array.from({ length: size }, (_, value) => text(value));
const dates = table(days, (value) => new Date(start + value * day).toISOString().slice(0, 11));
const minutes = table(1440, (value) => new Date(value * 60_000).toISOString().slice(11, 17));
const seconds = table(60, (value) => `${String(value).padStart(2, '0')}.`);
const milliseconds = table(1000, (value) => `${String(value).padStart(3, '0')}Z`);

/** A `toISOString` for times within the generated history, several times faster. */
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

/** At the end, `growth + 1` times as many customers are created per day as at the start. */
const growth = 6;
/** The weights of the hours in the customer's time zone, from midnight on. */
const localHour = weightedIndex(
  '9 5 3 2 2 4 10 20 32 42 48 50 52 48 46 46 48 52 58 66 74 70 48 24'.split(' ').map(Number),
);

export interface History {
  createdAt: number;
  orders: number;
  valueCents: number;
  lastOrderAt: number | null;
}

/** A time on that day in the customer's time zone, within the ten years of the history. */
function momentOf(random: Random, dayNumber: number, utcOffset: number): number {
  const time = (localHour(random) - utcOffset) * hour + random.below(hour);
  const moment = start + dayNumber * day + time;
  if (moment > dataSetEnd) return moment - day;
  return moment < start ? moment + day : moment;
}

function arrival(random: Random, utcOffset: number): number {
  const share = (Math.sqrt(1 + growth * (2 + growth) * random.unit()) - 1) / growth;
  const dayNumber = Math.floor(share * days);
  // Some were imported by a job that runs every four weeks: their creation times are equal.
  if (random.chance(0.002)) return start + (dayNumber - (dayNumber % 28)) * day + 3 * hour;
  return momentOf(random, dayNumber, utcOffset);
}

function lastOrder(random: Random, createdAt: number, orders: number, utcOffset: number): number {
  const soon = createdAt + 60_000 + random.below(hour);
  if (orders === 1 && random.chance(0.55)) return Math.min(soon, dataSetEnd);
  // The more orders, the closer the last one is to the end.
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
  // Most private baskets are around 40.00, a few are ten times that.
  const bell = random.unit() + random.unit() + random.unit() - 1.5;
  const basket = (business ? 9000 : 4000) * Math.exp(1.6 * bell);
  let valueCents = Math.round(orders * basket * (0.8 + 0.4 * random.unit()));
  if (random.chance(0.006)) valueCents = 0; // everything refunded
  if (random.chance(0.004)) valueCents = -Math.round(basket * random.unit()) - 1; // refunded more than paid
  return {
    createdAt,
    orders,
    valueCents,
    lastOrderAt: lastOrder(random, createdAt, orders, utcOffset),
  };
}
