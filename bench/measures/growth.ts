import { row, type Row } from './measure.ts';

/** h: a, b and c compared with the recorded results for a tenth of the customers. */
export function compareWithSmaller(rows: Row[], smaller: Row[]): Row[] {
  const ratios: Record<string, number> = {};
  for (const letter of 'abc') {
    const now = rows.find((r) => r.letter === letter)?.value;
    const then = smaller.find((r) => r.letter === letter)?.value;
    if (now != null && then != null) ratios[letter] = now / then;
  }
  const values = Object.values(ratios);
  if (values.length === 0) return [];
  return [
    row(
      'h',
      'a, b, c here ÷ at a tenth of this size, the largest',
      Math.max(...values),
      1.5,
      ratios,
    ),
  ];
}
