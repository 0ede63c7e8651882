/** Parts of the summaries that commands print. */

export const secondsSince = (started: number): number =>
  Number(((performance.now() - started) / 1_000).toFixed(1));

/** `2 inserted, 0 updated` */
export const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
