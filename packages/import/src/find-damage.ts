/** Finds what is wrong with a record as a whole, before its values are parsed. */
import { fault, type Fault } from './faults.ts';
import type { Matches } from './match-fields.ts';
import type { SourceRecord } from './source-record.ts';

export interface Damage {
  /** Empty if no column can be named. */
  column: string;
  reason: Fault;
  detail?: string | undefined;
}

export interface DamageOptions {
  /** Of CSV. */
  delimiter?: string | undefined;
  raw?: boolean | undefined;
  /** A feed, which is always in UTF-8. */
  deletes?: boolean;
}

export function findDamage(
  record: SourceRecord,
  { names, fields }: Matches,
  { delimiter, raw, deletes }: DamageOptions,
): Damage | undefined {
  const { cells } = record;
  if (record.fault) {
    const { faultyCharacter } = record;
    let detail: string | undefined;
    if (record.fault === fault.utf8 && !deletes) detail = 'see --encoding';
    else if (faultyCharacter !== undefined) detail = `at character ${faultyCharacter}`;
    return { column: unreadableColumn(record, names), reason: record.fault, detail };
  }
  if (cells.length !== names.length) {
    const detail = `${cells.length} instead of ${names.length}`;
    return { column: '', reason: fault.columns, detail };
  }
  if (raw || delimiter === undefined || record.nextLine - record.line < 2) return undefined;
  const at = swallowingCell(cells, delimiter, fields.indexOf('email_address'));
  const reason = fault['line-break'];
  return at < 0 ? undefined : { column: names[at]!, reason, detail: spannedLines(reason, record) };
}

/** The cell that contains whole records, because a quote before them is not closed; -1 if there is none. */
function swallowingCell(cells: readonly unknown[], delimiter: string, emailAt: number): number {
  return cells.findIndex((cell) => {
    if (typeof cell !== 'string' || !cell.includes('\n')) return false;
    const [, ...lines] = cell.split('\n');
    return lines.some((line) => {
      const parts = line.split(delimiter);
      return parts.length > 1 && parts[emailAt]?.includes('@');
    });
  });
}

/** Says how many lines a record has swallowed. */
export const spannedLines = (reason: Fault, { line, nextLine }: SourceRecord): string | undefined =>
  reason === fault['line-break'] && nextLine - line > 1
    ? `lines ${line} to ${nextLine - 1} are one record`
    : undefined;

/** The column that cannot be read, or '' if it cannot be determined. */
function unreadableColumn(
  { cells, fault: reason, faultyCell }: SourceRecord,
  names: readonly string[],
): string {
  if (faultyCell !== undefined) return names[faultyCell] ?? '';
  const damage = reason === fault.utf8 ? '\uFFFD' : reason === fault.nul ? '\0' : undefined;
  if (damage === undefined || cells.length !== names.length) return '';
  return names[cells.findIndex((cell) => typeof cell === 'string' && cell.includes(damage))] ?? '';
}
