import { row, type Row } from './measure.ts';

/** h: a, b and c compared with what is recorded for fewer customers. */
export function compareWithSmaller(
  rows: Row[],
  smaller: { customers: number; rows: Row[] } | undefined,
): Row[] {
  const ratios: Record<string, number> = {};
  for (const letter of 'abc') {
    const now = rows.find((r) => r.letter === letter)?.value;
    const then = smaller?.rows.find((r) => r.letter === letter)?.value;
    if (now != null && then != null) ratios[letter] = now / then;
  }
  const values = Object.values(ratios);
  if (!smaller || values.length === 0) return [];
  const size = smaller.customers.toLocaleString('en');
  return [
    row(
      'h',
      `a, b, c here ÷ with ${size} customers, the largest`,
      Math.max(...values),
      1.5,
      ratios,
    ),
  ];
}
