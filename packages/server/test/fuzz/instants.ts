/** Times at which customers were created, and bounds around them. */
import type { Random } from '@clientele/sandbox/testing';
import type { Row } from './customer.ts';

const day = 86_400_000;
const notable = [
  '0001-01-01T00:00:00.000Z',
  '1900-01-01T00:00:00.000Z',
  '1930-12-31T23:59:59.999Z',
  '1931-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2024-02-29T12:00:00.000Z',
  '2068-12-31T23:59:59.999Z',
  '2069-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
].map((text) => Date.parse(text));

/** `within`: only ordinary ones, so that timelines have short periods. */
export function randomCreation(random: Random, within: number): number {
  if (within === Infinity && random.chance(0.15)) return random.pick(notable);
  const end = Date.UTC(2026, 5, 1);
  const range = within === Infinity ? 40_000 * day : within;
  const at = end - Math.floor((random.below(1_000_000) / 1_000_000) * range);
  // Several are created at the same instant.
  return random.chance(0.3) ? at - (at % (range / 8 > day ? day : 3_600_000)) : at;
}

/** A bound as it is sent, mostly next to where somebody was created. */
export function randomInstant(rows: Row[], random: Random): { ms: number; text: string } {
  const near =
    rows.length > 0 && random.chance(0.8) ? random.pick(rows).created_at : random.pick(notable);
  const moved = near + random.pick([0, 0, 1, -1, 1000, -day, day * 30]);
  const ms = Math.min(Math.max(moved, notable[0]!), notable.at(-1)!);
  const iso = new Date(ms).toISOString();
  if (random.chance(0.3)) return { ms: Date.parse(iso.slice(0, 10)), text: iso.slice(0, 10) };
  if (ms % 1000 === 0 && random.chance(0.5)) return { ms, text: iso.replace('.000Z', 'Z') };
  if (random.chance(0.3) && ms > notable[1]! && ms < notable.at(-2)!) {
    return { ms, text: new Date(ms + 7_200_000).toISOString().replace('Z', '+02:00') };
  }
  return { ms, text: iso };
}
