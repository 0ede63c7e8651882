/** Columns called `Name` have whole names, family names or given names, depending on the others and on their values. */
import { foldName } from './column-names.ts';
import type { Field } from './fields.ts';
import type { ValuesOf } from './presets.ts';

/** Of folded names of columns that have whole names even if no value shows it. */
const certainlyWhole = /complet|display|contact/;

interface NameOptions {
  idColumn: number | undefined;
  /** Whether the column's field is certain. */
  isGiven: (name: string) => boolean;
  valuesOf: ValuesOf;
}

/**
 * Corrects the field of a column that has no whole names after all. Returns whether no value has shown what it has, so
 * that each record has to.
 */
export function resolveNames(
  names: readonly string[],
  fields: (Field | undefined)[],
  { idColumn, isGiven, valuesOf }: NameOptions,
): boolean {
  const full = fields.indexOf('full_name');
  const first = fields.indexOf('first_name');
  const last = fields.indexOf('last_name');
  if (full < 0 || (first < 0 && last < 0) || isGiven(names[full]!)) return false;
  if (full === idColumn) {
    fields[full] = undefined;
    return false;
  }
  const name = names[full]!;
  const found = containing(valuesOf(name), valuesOf(names[first < 0 ? last : first]!));
  if (found === 'most') return false;
  const hasBoth = first >= 0 && last >= 0;
  if (found === 'unknown' && (hasBoth || certainlyWhole.test(foldName(name)))) return false;
  fields[full] = hasBoth ? undefined : first < 0 ? 'first_name' : 'last_name';
  return found === 'unknown';
}

/** How many names contain the part of the name in the same record. */
function containing(
  whole: readonly string[],
  parts: readonly string[],
): 'most' | 'few' | 'unknown' {
  const pairs = whole
    .map((name, i) => [name, parts[i] ?? ''] as const)
    .filter(([name, part]) => name !== '' && part !== '');
  if (pairs.length === 0) return 'unknown';
  const count = pairs.filter(([name, part]) => containsName(name, part)).length;
  return count * 2 >= pairs.length ? 'most' : 'few';
}

/** `mayBeWhole`: one of the two may be the whole name, and then contains the other. */
export function joinName(first: string, last: string, mayBeWhole: boolean): string {
  const [given, family] = [first.trim(), last.trim()];
  if (given === '' || family === '') return given || family;
  if (mayBeWhole && containsName(family, given)) return family;
  if (mayBeWhole && containsName(given, family)) return given;
  return `${given} ${family}`;
}

/** Whether the words of a part of a name are in a name: `Eva` is in `Müller, Eva`, but not in `Evans`. */
export function containsName(name: string, part: string): boolean {
  if (name.startsWith(`${part} `) || name.endsWith(` ${part}`)) return true;
  return wordsOf(name).includes(wordsOf(part));
}

/** Chinese, Japanese and Korean names have no spaces between their words. */
const word = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hira}|\p{Script=Kana}|[\p{L}\p{N}]+/gu;

const wordsOf = (text: string): string =>
  ` ${text.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').match(word)?.join(' ') ?? ''} `;
