/** Which column of a file is which field: by name, by a common other name, or as told by --map. */
import { ImportError } from './import-error.ts';
import { fieldNames, type Field } from './fields.ts';

/** What they call it, folded. */
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

/** Case, spaces, accents and punctuation do not matter. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const exact = new Map(fieldNames.map((field) => [foldName(field), field]));

/** The field that a name stands for, if any. */
export function fieldOf(name: string): Field | undefined {
  const folded = foldName(name);
  return exact.get(folded) ?? synonyms.get(folded);
}

export interface MatchOptions {
  /** What they call it → what we call it. */
  map: ReadonlyMap<string, Field>;
  /** The column that an identifier is derived from. */
  idColumn?: string | undefined;
}

export interface Matches {
  /** The field of each column; undefined where it is not used. */
  fields: (Field | undefined)[];
  /** The column, by its place, that identifiers are derived from. */
  idColumn: number | undefined;
  ignored: string[];
}

/** The columns of a table. Throws with the remedy where they do not make a customer. */
export function matchFields(names: string[], options: MatchOptions): Matches {
  const repeated = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (repeated !== undefined) {
    throw new ImportError(`The header names ${quoted(repeated)} twice. Rename one of them.`);
  }
  const matches = assignFields(names, options, (fault) => {
    throw new ImportError(fault);
  });
  requireFields(names, matches);
  return matches;
}

/** The keys of one JSON object, which may lack some and have others. */
export const matchKeys = (keys: string[], options: MatchOptions): Matches =>
  assignFields(keys, options, () => undefined);

function assignFields(
  names: string[],
  options: MatchOptions,
  onFault: (fault: string) => void,
): Matches {
  const place = (name: string, option: string): number => {
    const found = names.indexOf(name);
    const at = found >= 0 ? found : names.findIndex((each) => foldName(each) === foldName(name));
    if (at < 0) {
      const near = nearest(name, names);
      const remedy = near
        ? `; did you mean ${quoted(near)}?`
        : `. It has: ${names.map(quoted).join(', ')}`;
      onFault(`${option}: the file has no column ${quoted(name)}${remedy}`);
    }
    return at;
  };
  const fields: (Field | undefined)[] = names.map(() => undefined);
  for (const [theirs, ours] of options.map) {
    const at = place(theirs, '--map');
    if (at >= 0) fields[at] = ours;
  }
  const idAt = options.idColumn === undefined ? -1 : place(options.idColumn, '--id-column');
  const idColumn = idAt < 0 ? undefined : idAt;
  // Our own names first: beside full_name, a column `name` is something else.
  for (const known of [exact, synonyms]) {
    const taken = new Set(fields);
    for (const [i, name] of names.entries()) {
      const field = known.get(foldName(name));
      if (field === undefined || fields[i] !== undefined || taken.has(field)) continue;
      if (field === 'uuid' && options.idColumn !== undefined) continue;
      const other = fields.indexOf(field);
      if (other >= 0) {
        onFault(
          `The columns ${quoted(names[other]!)} and ${quoted(name)} both look like ${field}. ` +
            `Choose one: --map ${shell(`${name}=${field}`)}`,
        );
      } else {
        fields[i] = field;
      }
    }
  }
  dropDoubles(fields);
  const ignored = names.filter((_, i) => fields[i] === undefined && i !== idColumn);
  return { fields, idColumn, ignored };
}

/** Where a file has the whole name and its parts, or cents and an amount, the whole one counts. */
function dropDoubles(fields: (Field | undefined)[]): void {
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
  const remedies = missing.map((field) => {
    const near = nearest(
      field,
      names.filter((_, i) => fields[i] === undefined),
    );
    const guess = near === undefined ? '.' : `; is it ${quoted(near)}?`;
    const map = `--map ${shell(`${near ?? 'THEIRS'}=${field}`)}`;
    return `No column looks like ${field}${guess} Say which: ${map}`;
  });
  if (!has('uuid') && idColumn === undefined) {
    remedies.push(
      'No column holds a UUID. Say which column tells customers apart, and identifiers are derived ' +
        'from it, the same ones every time: --id-column NAME',
    );
  }
  if (remedies.length > 0) {
    const found = names.map(quoted).join(', ');
    throw new ImportError(`${remedies.join('\n')}\nThe columns found: ${found}`);
  }
}

export const quoted = (name: string): string => `"${name}"`;
const shell = (word: string): string => (/^[\w=.-]+$/.test(word) ? word : `'${word}'`);

/** The one that differs by a slip of the finger or two. */
export function nearest<Name extends string>(
  name: string,
  among: readonly Name[],
): Name | undefined {
  const folded = foldName(name);
  const [best] = among
    .map((each) => ({ each, far: distance(folded, foldName(each)) }))
    .filter(({ far }) => far <= Math.min(3, folded.length / 3))
    .toSorted((a, b) => a.far - b.far);
  return best?.each;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
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
