/** Welch's t for the means of two samples; beyond ±4.5, they are taken for different. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [moments(a), moments(b)];
  return (x.mean - y.mean) / Math.sqrt(x.variance / a.length + y.variance / b.length);
}

function moments(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}
