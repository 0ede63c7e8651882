/** Matches a file's columns to fields: by name, by a common synonym, or as given with --map. */
import { ImportError } from './import-error.ts';
import { fieldNames, type Field } from './fields.ts';

/** Keys are folded with `foldName`. */
const synonyms = new Map<string, Field>();
for (const [field, names] of Object.entries({
  uuid: 'id guid customerid customeruuid',
  full_name: 'name customer customername displayname contactname kunde',
  first_name: 'firstname givenname forename vorname prenom',
  last_name: 'lastname surname familyname nachname nom',
  email_address: 'email mail emailaddress emailadresse emailid',
  phone_number: 'phone phoneno telephone tel mobile mobilephone cell telefon telefonnummer',
  company_name: 'company organisation organization firma employer business societe',
  is_verified: 'verified emailverified',
  total_orders: 'orders ordercount orderscount numberoforders',
  lifetime_value_cents: 'ltvcents valuecents',
  lifetime_value: 'ltv totalspent totalspend revenue',
  last_order_at: 'lastorder lastorderdate lastorderedat lastpurchase',
  created_at: 'created createddate creationdate createdon signupdate registeredat customersince',
  updated_at: 'updated updateddate updatedon modified modifiedat lastmodified lastupdated',
})) {
  for (const name of names.split(' ')) synonyms.set(name, field as Field);
}

/** Removes case, spaces, accents and punctuation. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const exact = new Map(fieldNames.map((field) => [foldName(field), field]));

export function fieldOf(name: string): Field | undefined {
  const folded = foldName(name);
  return exact.get(folded) ?? synonyms.get(folded);
}

export interface MatchOptions {
  /** From the file's column name to the field. */
  map: ReadonlyMap<string, Field>;
  /** Derive UUIDs from this column. */
  idColumn?: string | undefined;
}

export interface Matches {
  /** The field of each column; undefined for columns that are ignored. */
  fields: (Field | undefined)[];
  /** The index of the column that UUIDs are derived from. */
  idColumn: number | undefined;
  ignored: string[];
}

/** Matches the header of a table. Throws if a required field is missing or a match is ambiguous. */
export function matchFields(names: string[], options: MatchOptions): Matches {
  const repeated = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (repeated !== undefined) {
    throw new ImportError(
      `The header has two columns named ${quoted(repeated)}. Rename one of them.`,
    );
  }
  const matches = assignFields(names, options, (problem) => {
    throw new ImportError(problem);
  });
  requireFields(names, matches);
  return matches;
}

/** Matches the keys of a JSON object. Keys may be missing; the records without them are rejected. */
export const matchKeys = (keys: string[], options: MatchOptions): Matches =>
  assignFields(keys, options, () => undefined);

function assignFields(
  names: string[],
  options: MatchOptions,
  onProblem: (problem: string) => void,
): Matches {
  const indexOf = (name: string, option: string): number => {
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
  };
  const fields: (Field | undefined)[] = names.map(() => undefined);
  for (const [theirs, ours] of options.map) {
    const at = indexOf(theirs, '--map');
    if (at >= 0) fields[at] = ours;
  }
  const idAt = options.idColumn === undefined ? -1 : indexOf(options.idColumn, '--id-column');
  const idColumn = idAt < 0 ? undefined : idAt;
  // Exact names first: if there is a full_name, a column `name` is something else.
  for (const known of [exact, synonyms]) {
    const taken = new Set(fields);
    for (const [i, name] of names.entries()) {
      const field = known.get(foldName(name));
      if (field === undefined || fields[i] !== undefined || taken.has(field)) continue;
      if (field === 'uuid' && options.idColumn !== undefined) continue;
      const other = fields.indexOf(field);
      if (other >= 0) {
        onProblem(
          `The columns ${quoted(names[other]!)} and ${quoted(name)} both look like ${field}. ` +
            `Choose one with: --map ${shellQuoted(`${name}=${field}`)}`,
        );
      } else {
        fields[i] = field;
      }
    }
  }
  dropRedundantFields(fields);
  const ignored = names.filter((_, i) => fields[i] === undefined && i !== idColumn);
  return { fields, idColumn, ignored };
}

/** full_name takes precedence over its parts, and cents over an amount with decimals. */
function dropRedundantFields(fields: (Field | undefined)[]): void {
  const drop = (field: Field): void => {
    const at = fields.indexOf(field);
    if (at >= 0) fields[at] = undefined;
  };
  if (fields.includes('full_name'))
    for (const part of ['first_name', 'last_name'] as const) drop(part);
  if (fields.includes('lifetime_value_cents')) drop('lifetime_value');
}

function requireFields(names: string[], { fields, idColumn }: Matches): void {
  const has = (field: Field): boolean => fields.includes(field);
  const missing: string[] = [];
  if (!has('full_name') && !has('first_name') && !has('last_name')) missing.push('full_name');
  if (!has('email_address')) missing.push('email_address');
  const problems = missing.map((field) => {
    const near = nearest(
      field,
      names.filter((_, i) => fields[i] === undefined),
    );
    const hint = near === undefined ? 'Say which one it is:' : `Is it ${quoted(near)}? Then add:`;
    return `No column matches ${field}. ${hint} --map ${shellQuoted(`${near ?? 'THEIRS'}=${field}`)}`;
  });
  if (!has('uuid') && idColumn === undefined) {
    problems.push(
      'No column contains UUIDs. To derive them from a column that identifies customers, ' +
        'add: --id-column NAME',
    );
  }
  if (problems.length > 0) {
    const found = names.map(quoted).join(', ');
    throw new ImportError(`${problems.join('\n')}\nColumns in the file: ${found}`);
  }
}

export const quoted = (name: string): string => `"${name}"`;
const shellQuoted = (text: string): string => (/^[\w=.-]+$/.test(text) ? text : `'${text}'`);

/** The most similar name, if it is similar enough to be a typo. */
export function nearest<Name extends string>(
  name: string,
  among: readonly Name[],
): Name | undefined {
  const folded = foldName(name);
  const [best] = among
    .map((each) => ({ each, edits: editDistance(folded, foldName(each)) }))
    .filter(({ edits }) => edits <= Math.min(3, folded.length / 3))
    .toSorted((a, b) => a.edits - b.edits);
  return best?.each;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, above[j]! + 1, row[j - 1]! + 1));
    }
  }
  return row[b.length]!;
}
