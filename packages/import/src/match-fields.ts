/** Matches a file's columns to fields: as given with --map, by name, by its system, or by a common synonym. */
import { foldName, nearest, quoted, shellQuoted } from './column-names.ts';
import { ImportError } from './import-error.ts';
import { fieldNames, type Field } from './fields.ts';
import { idLengthOf, type Preset } from './presets.ts';

/** Other names of fields, folded with `foldName`, the usual ones first. */
const synonyms = byName({
  uuid: 'id guid customerid customeruuid',
  full_name: 'name customer customername displayname contactname kunde',
  first_name: 'firstname givenname forename vorname prenom',
  last_name: 'lastname surname familyname nachname nom',
  email_address: 'email mail emailaddress emailadresse emailid',
  phone_number: 'phone phoneno telephone tel telefon telefonnummer',
  company_name:
    'company organisation organization firma employer business societe accountname businessname',
  is_verified: 'verified emailverified verifiedemail',
  total_orders: 'orders ordercount orderscount numberoforders paymentcount',
  lifetime_value_cents: 'ltvcents valuecents',
  lifetime_value: 'ltv totalspent totalspend revenue totalrevenue',
  last_order_at: 'lastorder lastorderdate lastorderedat lastpurchase',
  created_at:
    'created createddate createdate creationdate createdon createdutc signupdate signedup registeredat customersince',
  updated_at:
    'updated updateddate updatedon modified modifiedat lastmodified lastmodifieddate lastupdated',
  currency: 'wahrung',
});
/** Used only if there is nothing better. */
const substitutes = byName({ phone_number: 'mobile mobilephone mobilephonenumber cell handy' });

function byName(names: Partial<Record<Field, string>>): Map<string, Field> {
  const fields = Object.entries(names) as [Field, string][];
  return new Map(fields.flatMap(([field, list]) => list.split(' ').map((name) => [name, field])));
}

const exact = new Map(fieldNames.map((field) => [foldName(field), field]));

export function fieldOf(name: string): Field | undefined {
  const folded = foldName(name);
  return exact.get(folded) ?? synonyms.get(folded);
}

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
}

export interface Matches {
  names: string[];
  /** The field of each column; undefined for columns that are not used. */
  fields: (Field | undefined)[];
  /** Columns with times in UTC, whatever the zone of the others. */
  utc: boolean[];
  /** The index of the column that UUIDs are derived from. */
  idColumn: number | undefined;
  /** Put before identifiers, because two systems may use the same. */
  scope: string | undefined;
  /** How many characters of an identifier count. */
  idLength: number | undefined;
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
  for (const [theirs, ours] of map) {
    const at = findColumn(names, theirs, '--map', onProblem);
    if (at >= 0 && ours === 'ignore') ignored.add(at);
    else if (at >= 0) fields[at] = ours as Field;
  }
  const hasUuid = fields.includes('uuid') || names.some((name) => foldName(name) === 'uuid');
  const id = options.idColumn === undefined ? undefined : readIdOption(options.idColumn, names);
  const idAt = id
    ? findColumn(names, id.column, '--id-column', onProblem)
    : ownId(names, hasUuid ? undefined : preset);
  const idColumn = idAt < 0 ? undefined : idAt;
  const scope = id ? id.scope : idColumn === undefined ? undefined : preset?.scope;
  // Exact names first: if there is a full_name, a column `name` is something else.
  for (const known of [exact, preset?.fields, synonyms, substitutes]) {
    // A preset lists columns in the order of preference.
    const problem = known === preset?.fields ? () => undefined : onProblem;
    if (known) assignKnown(known, { names, fields, ignored, idColumn }, problem);
  }
  dropRedundantFields(fields);
  return {
    names,
    fields,
    utc: names.map(
      (name) => preset?.utc === true || /(?:^|[^a-z])(?:utc|gmt)(?:[^a-z]|$)/i.test(name),
    ),
    idColumn,
    scope,
    idLength: idLengthOf(scope),
    ignored: names.filter((name, i) => fields[i] === undefined && i !== idColumn && name !== ''),
  };
}

/** The column with the identifiers of the system that wrote the file; -1 if there is none. */
function ownId(names: string[], preset: Preset | undefined): number {
  const id = preset?.ids.find((each) => names.some((name) => foldName(name) === foldName(each)));
  return id === undefined ? -1 : names.findIndex((name) => foldName(name) === foldName(id));
}

/** `stripe:id` is the column `id`, whose identifiers are those of Stripe. */
function readIdOption(text: string, names: string[]): { column: string; scope?: string } {
  const at = text.indexOf(':');
  if (at < 1 || names.includes(text)) return { column: text };
  return { column: text.slice(at + 1), scope: `${foldName(text.slice(0, at))}:` };
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
  // In the order of the list, so that the order of keys in JSON does not decide.
  for (const [name, field] of known) {
    for (const [i, each] of folded.entries()) {
      if (each !== name || fields[i] !== undefined || taken.has(field) || ignored.has(i)) continue;
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

/** full_name takes precedence over its parts, and cents over an amount with decimals. */
function dropRedundantFields(fields: (Field | undefined)[]): void {
  const drop = (field: Field): void => {
    const at = fields.indexOf(field);
    if (at >= 0) fields[at] = undefined;
  };
  if (fields.includes('full_name'))
    for (const part of ['first_name', 'last_name'] as const) drop(part);
  if (fields.includes('lifetime_value_cents')) drop('lifetime_value');
  if (!fields.includes('lifetime_value') && !fields.includes('lifetime_value_cents'))
    drop('currency');
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
    problems.push(askForId(names, fields, options.preset));
  if (problems.length > 0) {
    const found = names.map(quoted).join(', ');
    throw new ImportError(`${problems.join('\n')}\nColumns in the file: ${found}`);
  }
}

/** Names the column that most likely identifies customers. */
export function askForId(
  names: readonly string[],
  fields: readonly (Field | undefined)[],
  preset: Preset | undefined,
): string {
  const own = names.find((name) => idName.test(foldName(name)));
  const likely = own ?? names[fields.indexOf('email_address')] ?? 'NAME';
  const system = preset
    ? `This ${preset.system} export has no identifiers`
    : 'No column contains UUIDs';
  return `${system}. To derive them from a column that identifies customers, add: --id-column ${shellQuoted(likely)}`;
}

const idName =
  /^(?:external|ext|record|customer|client|contact|member|account|user|person|kunden?|kontakt|mitglieds?)?(?:id|nr|no|number|nummer|code|key)$/;
