/** Matches a file's columns to fields: as given with --map, by name, by its system, or by a common synonym. */
import { foldName, nearest, quoted, shellQuoted } from './column-names.ts';
import { ImportError } from './import-error.ts';
import { exact, substitutes, synonyms } from './field-names.ts';
import { mayDelete } from './feed-op.ts';
import type { Field } from './fields.ts';
import { askForId, readIdOption, uuidColumns } from './identifiers.ts';
import { resolveNames } from './name-columns.ts';
import { isReason } from './reject-reason.ts';
import { findName, presetOf, type Preset, type ValuesOf } from './presets.ts';

export type Target = Field | 'ignore';

export interface MatchOptions {
  /** From the file's column name, or the path of a nested JSON value, to the field. */
  map: ReadonlyMap<string, Target>;
  /** Derive UUIDs from this column; `SYSTEM:COLUMN` keeps the identifiers of several systems apart. */
  idColumn?: string | undefined;
  /** Use the e-mail address as the name of customers without one. */
  nameFromEmail?: boolean | undefined;
  /** The system that wrote the file, if it was recognised. */
  preset?: Preset | undefined;
  /** What the first records contain, to tell columns with the same name apart. */
  valuesOf?: ValuesOf | undefined;
}

const noValues: ValuesOf = () => [];

export interface Matches {
  names: string[];
  /** The field of each column; undefined for columns that are not used. */
  fields: (Field | undefined)[];
  /** Columns with times in UTC, whatever the zone of the others. */
  utc: boolean[];
  /** The column of one part of the name may have whole names, which each record shows. */
  mayBeWhole: boolean;
  /** The index of the column that UUIDs are derived from. */
  idColumn: number | undefined;
  /** Put before identifiers, because two systems may use the same. */
  scope: string | undefined;
  /** Gives the same text for different spellings of an identifier. */
  canonicalId: Preset['canonicalId'];
  /** Columns with parts of the name that are not used because another one has whole names. */
  unusedParts: number[];
  /** Columns that are not used and may say that a record is deleted. */
  deleting: number[];
  ignored: string[];
}

/** Matches the header of a table. Throws if a required field is missing or a match is ambiguous. */
export function matchFields(names: string[], options: MatchOptions): Matches {
  const matches = assignFields(names, options, (problem) => {
    throw new ImportError(problem);
  });
  const used = names.filter((_, i) => matches.fields[i] !== undefined || i === matches.idColumn);
  const repeated = used.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) {
    throw new ImportError(
      `The header has two columns named ${quoted(repeated)}. Rename one of them.`,
    );
  }
  requireFields(matches, options);
  return matches;
}

/** Matches the keys of a JSON object. Keys may be missing; the records without them are rejected. */
export const matchKeys = (keys: string[], options: MatchOptions): Matches =>
  assignFields(keys, options, () => undefined);

type OnProblem = (problem: string) => void;

function assignFields(names: string[], options: MatchOptions, onProblem: OnProblem): Matches {
  const { map, preset } = options;
  const fields: (Field | undefined)[] = names.map(() => undefined);
  const ignored = new Set<number>();
  // What the user or a field's own name says is not guessed again.
  const isGiven = (name: string): boolean => map.has(name) || exact.has(foldName(name));
  for (const [theirs, ours] of map) {
    const at = findColumn(names, theirs, '--map', onProblem);
    if (at >= 0 && ours === 'ignore') ignored.add(at);
    else if (at >= 0) fields[at] = ours as Field;
  }
  const valuesOf = options.valuesOf ?? noValues;
  const hasUuid = fields.includes('uuid') || names.some((name) => foldName(name) === 'uuid');
  const id = options.idColumn === undefined ? undefined : readIdOption(options.idColumn, names);
  const own = hasUuid ? undefined : findName(names, preset?.ids ?? []);
  const idAt = id
    ? findColumn(names, id.column, '--id-column', onProblem)
    : names.indexOf(own ?? '\0');
  const idColumn = idAt < 0 ? undefined : idAt;
  const scope = id ? id.scope : idColumn === undefined ? undefined : preset?.scope;
  let mayBeWhole = false;
  // Exact names first: if there is a full_name, a column `name` is something else.
  for (const known of [exact, preset?.fields, synonyms, substitutes]) {
    // A preset lists columns in the order of preference.
    const problem = known === preset?.fields ? () => undefined : onProblem;
    if (known) assignKnown(known, { names, fields, ignored, idColumn }, problem);
    if (known === synonyms) {
      mayBeWhole = resolveNames(names, fields, { idColumn, isGiven, valuesOf });
    }
  }
  if (idColumn === undefined && !fields.includes('uuid')) useUuidColumn(names, fields, valuesOf);
  const unusedParts = dropRedundantFields(fields);
  return {
    names,
    fields,
    utc: names.map(
      (name) => preset?.utc === true || /(?:^|[^a-z])(?:utc|gmt)(?:[^a-z]|$)/i.test(name),
    ),
    mayBeWhole,
    idColumn,
    scope,
    canonicalId: presetOf(scope)?.canonicalId,
    unusedParts,
    deleting: [...names.keys()].filter(
      (i) => fields[i] === undefined && !ignored.has(i) && mayDelete(names[i]!),
    ),
    ignored: names.filter(
      (name, i) => fields[i] === undefined && i !== idColumn && name !== '' && !isReason(name),
    ),
  };
}

/** A column of UUIDs without a known name, if it is the only one. */
function useUuidColumn(names: string[], fields: (Field | undefined)[], valuesOf: ValuesOf): void {
  const [only, another] = uuidColumns(names, valuesOf);
  if (only === undefined || another !== undefined) return;
  fields[names.indexOf(only)] = 'uuid';
}

function findColumn(names: string[], name: string, option: string, onProblem: OnProblem): number {
  const found = names.indexOf(name);
  const at = found >= 0 ? found : names.findIndex((each) => foldName(each) === foldName(name));
  if (at < 0) {
    const near = nearest(name, names);
    const hint = near
      ? `Did you mean ${quoted(near)}?`
      : `Its columns are: ${names.map(quoted).join(', ')}`;
    onProblem(`${option}: the file has no column ${quoted(name)}. ${hint}`);
  }
  return at;
}

interface Assignment {
  names: string[];
  fields: (Field | undefined)[];
  ignored: ReadonlySet<number>;
  idColumn: number | undefined;
}

function assignKnown(
  known: ReadonlyMap<string, Field>,
  { names, fields, ignored, idColumn }: Assignment,
  onProblem: OnProblem,
): void {
  const taken = new Set(fields);
  const folded = names.map(foldName);
  // Among keys that differ only in case, `email` comes before `Email`, whatever their order in JSON.
  const order = [...names.keys()].toSorted((a, b) => (names[a]! > names[b]! ? -1 : 1));
  // In the order of the list, so that the order of keys in JSON does not decide.
  for (const [name, field] of known) {
    for (const i of order) {
      if (folded[i] !== name || fields[i] !== undefined || taken.has(field) || ignored.has(i))
        continue;
      if (field === 'uuid' && idColumn !== undefined) continue;
      const other = fields.indexOf(field);
      if (other < 0) fields[i] = field;
      else if (names[other] !== names[i]) {
        onProblem(
          `The columns ${quoted(names[other]!)} and ${quoted(names[i]!)} both look like ${field}. ` +
            `Choose one with: --map ${shellQuoted(`${names[i]!}=${field}`)}`,
        );
      }
    }
  }
}

/** full_name takes precedence over its parts, and cents over an amount with decimals. Returns the dropped parts. */
function dropRedundantFields(fields: (Field | undefined)[]): number[] {
  const drop = (field: Field): number[] => {
    const at = fields.indexOf(field);
    if (at >= 0) fields[at] = undefined;
    return at < 0 ? [] : [at];
  };
  if (fields.includes('lifetime_value_cents')) drop('lifetime_value');
  if (!fields.includes('lifetime_value') && !fields.includes('lifetime_value_cents'))
    drop('currency');
  return fields.includes('full_name') ? [...drop('first_name'), ...drop('last_name')] : [];
}

function requireFields({ names, fields, idColumn }: Matches, options: MatchOptions): void {
  const has = (field: Field): boolean => fields.includes(field);
  const problems: string[] = [];
  const missing = (field: Field): void => {
    const near = nearest(
      field,
      names.filter((_, i) => fields[i] === undefined),
    );
    const hint = near === undefined ? 'Say which one it is:' : `Is it ${quoted(near)}? Then add:`;
    problems.push(
      `No column matches ${field}. ${hint} --map ${shellQuoted(`${near ?? 'THEIRS'}=${field}`)}`,
    );
  };
  if (!has('full_name') && !has('first_name') && !has('last_name') && !options.nameFromEmail) {
    missing('full_name');
    problems.push('To use the e-mail address as the name, add: --name-from-email');
  }
  if (!has('email_address')) missing('email_address');
  if (!has('uuid') && idColumn === undefined)
    problems.push(askForId(names, fields, options.preset, options.valuesOf ?? noValues));
  if (problems.length > 0) {
    const found = names.map(quoted).join(', ');
    throw new ImportError(`${problems.join('\n')}\nColumns in the file: ${found}`);
  }
}
