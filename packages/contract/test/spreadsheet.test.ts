/** Text in CSV for spreadsheets: never run, never lost. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guard, guardPhone, spreadsheetLine, unguard } from '@clientele/contract/spreadsheet';

/** Text of the characters that matter, in any order. */
const text = fc.string({
  unit: fc.constantFrom(...'=+-@|\t＝－;,\'" \u00a0\n1a'),
  maxLength: 12,
});

/**
 * What a strict reader such as Excel makes of a line: a quote opens a cell only at its start, and what follows the
 * closing quote belongs to the cell.
 */
function strictCells(line: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length; at += 1) {
    let cell = '';
    if (line[at] === '"') {
      for (at += 1; at < line.length; at += 1) {
        if (line[at] === '"' && line[(at += 1)] !== '"') break;
        cell += line[at];
      }
    }
    const end = line.indexOf(separator, at);
    cells.push(cell + line.slice(at, end < 0 ? undefined : end));
    at = end < 0 ? line.length : end;
  }
  return cells;
}

test('the strict reader reads quotes as RFC 4180 says', () => {
  expect(strictCells('"a,""b""",c"d,,"e"f', ',')).toEqual(['a,"b"', 'c"d', '', 'ef']);
  expect(strictCells('1,"a;=1+1;b"', ';')).toEqual(['1,"a', '=1+1', 'b"']);
});

test('unguard restores exactly what guard was given', () => {
  fc.assert(
    fc.property(text, (original) => {
      expect(unguard(guard(original))).toBe(original);
      expect(unguard(guardPhone(original))).toBe(original);
    }),
    { numRuns: 10_000 },
  );
});

test('no part of a guarded cell starts a formula, whichever character separates cells', () => {
  fc.assert(
    fc.property(fc.tuple(text, text), (texts) => {
      const line = spreadsheetLine(['1', ...texts.map(guard), null, '2']);
      for (const separator of [',', ';', '\t', '|']) {
        for (const cell of strictCells(line, separator)) expect(cell).not.toMatch(/^\s*[=+@＝－-]/);
      }
      const cells = [...texts.map(guard).map((cell) => cell.replaceAll('\n', ' ')), '', '2'];
      expect(strictCells(line, ',')).toEqual(['1', ...cells]);
    }),
    { numRuns: 5_000 },
  );
});

test.each(['Anna', "O'Brien", "'s-Hertogenbosch", '"Buddy" Holly', 'a; b', 'Smith, A.-B.', ''])(
  'harmless text is left as it is: %s',
  (harmless) => expect(guard(harmless)).toBe(harmless),
);

test('text of a hostile file is read in linear time', () => {
  const started = performance.now();
  for (const part of ['\t', ';', " '", '=', "|'"]) unguard(`'${part.repeat(500_000)}`);
  expect(performance.now() - started).toBeLessThan(30_000);
});

test.each(['0100893703', '030 555 0100', '(030) 555-0100', '2026-01-02', "'0100"])(
  'the phone number %s stays text, and an import restores it',
  (phone) => {
    expect(guardPhone(phone)).toBe(`'${phone}`);
    expect(unguard(guardPhone(phone))).toBe(phone);
  },
);

test('a phone number that starts with + has one apostrophe, and a name with digits has none', () => {
  expect(guardPhone('+49 30 5550100')).toBe("'+49 30 5550100");
  expect(guard('24/7')).toBe('24/7');
});
