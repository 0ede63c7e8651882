/** Checks the first records of a file, to fail before anything is written, or to warn. */
import { quoted, shellQuoted } from './column-names.ts';
import { uuid, type Field } from './fields.ts';
import { ImportError } from './import-error.ts';
import { askForId, requireScope, suggestedId } from './identifiers.ts';
import type { Matches, Target } from './match-fields.ts';
import { currencyCode, readMoney } from './numbers.ts';
import type { Preset, ValuesOf } from './presets.ts';
import type { SourceRecord } from './source-record.ts';

export interface Sample {
  record: SourceRecord;
  matches: Matches;
}

interface Cell {
  name: string;
  text: string;
  line: number;
}

function cellsOf(field: Field, sample: readonly Sample[]): Cell[] {
  return sample.flatMap(({ record, matches: { names, fields } }) => {
    const at = fields.indexOf(field);
    const value = record.cells[at];
    const isText = typeof value === 'string' || typeof value === 'number';
    return isText ? [{ name: names[at]!, text: String(value).trim(), line: record.line }] : [];
  });
}

export interface IdentifierOptions {
  preset: Preset | undefined;
  valuesOf: ValuesOf;
  /** Whether identifiers without the name of a system are accepted. */
  unscoped: boolean;
}

/** Fails if no record has an identifier, or one that may be of another customer elsewhere. */
export function checkIdentifiers(sample: readonly Sample[], options: IdentifierOptions): void {
  const { preset, valuesOf, unscoped } = options;
  const [first] = sample;
  if (!first) return;
  const { names, fields } = first.matches;
  if (
    sample.every(
      ({ matches }) => !matches.fields.includes('uuid') && matches.idColumn === undefined,
    )
  ) {
    throw new ImportError(askForId(names, fields, preset, valuesOf));
  }
  const found = cellsOf('uuid', sample).filter(({ text }) => text !== '');
  if (found.length > 0 && found.every(({ text }) => typeof uuid(text) !== 'string')) {
    const [{ name }] = found as [Cell];
    throw new ImportError(
      `The column ${quoted(name)} does not contain UUIDs. To derive UUIDs from its values, ` +
        `add: --id-column ${suggestedId(name, valuesOf)}`,
    );
  }
  for (const { matches } of sample) {
    if (matches.idColumn === undefined || matches.scope !== undefined) continue;
    const column = matches.names[matches.idColumn]!;
    for (const value of valuesOf(column)) requireScope(column, value, unscoped);
  }
}

/** Fails if a column mapped to cents has decimals. Returns a warning if it may be in whole units. */
export function checkCents(sample: readonly Sample[], map: ReadonlyMap<string, Target>): string[] {
  const found = cellsOf('lifetime_value_cents', sample).filter(
    ({ name }) => map.has(name) && !/cent|minor/i.test(name),
  );
  const decimal = found.find(({ text }) => /\d[.,]\d{1,2}(?:\D|$)/.test(text));
  if (decimal) {
    const { name, line } = decimal;
    throw new ImportError(
      `The column ${quoted(name)} is not in cents: line ${line} has decimals. ` +
        `For amounts with decimals, use: --map ${shellQuoted(`${name}=lifetime_value`)}`,
    );
  }
  const whole = found.find(({ text }) => /^\d+$/.test(text) && Number(text) > 0);
  if (!whole) return [];
  const { name, text } = whole;
  const cents = (Number(text) / 100).toFixed(2);
  return [
    `warning: ${quoted(name)} is read as cents, so ${text} is ${cents}. ` +
      `For whole amounts, use: --map ${shellQuoted(`${name}=lifetime_value`)}`,
  ];
}

/** The currency of the first amount that names one. */
export function firstCurrency(sample: readonly Sample[]): string | undefined {
  const named = cellsOf('currency', sample).map(({ text }) => currencyCode(text));
  const written = cellsOf('lifetime_value', sample).map(({ text }) => readMoney(text)?.currency);
  return [...named, ...written].find((each) => each !== undefined);
}
