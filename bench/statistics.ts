export interface Summary {
  p50: number;
  p95: number;
  p99: number;
  min: number;
  max: number;
  count: number;
}

export function summarise(values: number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return {
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    min: sorted[0]!,
    max: sorted.at(-1)!,
    count: sorted.length,
  };
}

export const median = (values: number[]): number => summarise(values).p50;

export interface Spread {
  median: number;
  /** In 95 of 100 such runs, the true median is in between. */
  least: number;
  most: number;
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  const reach = 0.98 * Math.sqrt(length);
  return {
    median: median(sorted),
    least: sorted[Math.max(0, Math.floor(length / 2 - reach))]!,
    most: sorted[Math.min(length - 1, Math.ceil(length / 2 + reach))]!,
  };
}
