/**
 * The bars next to lifetime values have one scale on all pages, so that they can be compared: from 10
 * to 100,000, each quarter of the full length ten times the one before. A linear scale would have to
 * change with the largest value on the page.
 */
export const scale = { from: 10, to: 100_000 };

const decades = Math.log10(scale.to / scale.from);

/** The length of the bar, from 0 to 1. Negative values have the bar of their size. */
export function shareOf(value: number): number {
  if (value === 0) return 0;
  const share = Math.log10(Math.abs(value) / scale.from) / decades;
  return Math.min(1, Math.max(0.03, share));
}
