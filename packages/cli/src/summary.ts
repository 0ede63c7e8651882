/** Parts of the summaries that commands print. */
import type { Superseded } from '@clientele/import';

export const secondsSince = (started: number): number =>
  Number(((performance.now() - started) / 1_000).toFixed(1));

/** `1 customer`, `2 customers`. */
export const many = (n: number, one: string, more = `${one}s`): string =>
  `${n} ${n === 1 ? one : more}`;

/** `2 inserted, 0 updated`. Most directories have nobody to suppress, so that is said only of some. */
export const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([name, count]) => name !== 'suppressed' || count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

const causes: Record<keyof Superseded, string> = {
  repeated: 'repeated by a newer record of the same customer',
  older: 'older than the customer',
  undated: 'without a date, while the customer has one',
  deleted: 'not newer than the deletion of the customer',
};

/** Why records were not applied: `Superseded: 2 older than the customer; 1 without a date, while the customer has one.` */
export function supersededText(by: Superseded): string {
  const parts = (Object.keys(causes) as (keyof Superseded)[])
    .filter((cause) => by[cause] > 0)
    .map((cause) => `${by[cause]} ${causes[cause]}`);
  return `Superseded: ${parts.join('; ')}.`;
}
