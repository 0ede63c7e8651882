/** Which column identifies customers, and whether its identifiers are unique beyond one system. */
import { foldName, quoted, shellQuoted } from './column-names.ts';
import { uuid, type Field } from './fields.ts';
import { ImportError } from './import-error.ts';
import { presetOfIds, type Preset, type ValuesOf } from './presets.ts';

export interface IdOption {
  column: string;
  scope: string | undefined;
}

/** What messages write where the user has to put a name. */
const placeholder = 'SYSTEM';

/** `stripe:id` is the column `id`, whose identifiers are those of Stripe. */
export function readIdOption(text: string, names: readonly string[]): IdOption {
  const at = text.indexOf(':');
  if (at < 1 || names.includes(text)) return { column: text, scope: undefined };
  const system = text.slice(0, at);
  if (system === placeholder || foldName(system) === '') {
    throw new ImportError(
      `--id-column: replace ${system} by the name of the system that has these identifiers, such as shop or crm. ` +
        'Use the same name for all of its files.',
    );
  }
  return { column: text.slice(at + 1), scope: `${foldName(system)}:` };
}

/** Long enough to be unique everywhere: a UUID, `cus_NffrFeUfNV2Hib`, or an e-mail address. */
const isUniqueAnywhere = (id: string): boolean =>
  id.includes('@') || (id.length >= 16 && /\p{L}/u.test(id) && /\d/.test(id));

/** Customer 17 of one system is not customer 17 of another, so such identifiers need the name of their system. */
export function requireScope(column: string, id: string, accepted: boolean): void {
  if (accepted || id === '' || isUniqueAnywhere(id)) return;
  throw new ImportError(
    `The identifiers in ${quoted(column)} are short, so another system may use the same for other customers. ` +
      `Add the name of the system that has them: --id-column ${shellQuoted(`${placeholder}:${column}`)}. ` +
      'To continue with UUIDs that were derived without a name, add: --accept unscoped-ids',
  );
}

const idWords = new Set(
  (
    'id ids guid uuid nr no num number nummer code key ref reference matricule numero codigo codice n ' +
    'customer client cliente kunde kundennr kundennummer kundenid customerid customerno clientid contactid userid ' +
    'memberid personid recordid accountid externalid mitgliedsnr numclient noclient'
  ).split(' '),
);
/** Of something else than the customer. */
const otherWords =
  /account|company|owner|parent|zip|postal|plz|country|currency|phone|fax|tax|vat|order|group|store|language/;

function looksLikeId(name: string): boolean {
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .map(foldName)
    .filter(Boolean);
  return [words[0], words.at(-1), foldName(name)].some((word) => idWords.has(word ?? ''));
}

/** Values that can identify: present, different, and neither text nor an address. */
const canIdentify = (values: readonly string[]): boolean =>
  new Set(values).size === values.length &&
  values.every((value) => value !== '' && value.length <= 64 && !/[\s@]/.test(value)) &&
  (values.length === 0 || values.some((value) => /\d/.test(value)));

/** The column that most likely identifies customers. */
function likelyId(
  names: readonly string[],
  fields: readonly (Field | undefined)[],
  valuesOf: ValuesOf,
): string | undefined {
  const free = names.filter(
    (name, i) => name !== '' && (fields[i] === undefined || fields[i] === 'full_name'),
  );
  const ofKnownSystem = free.find((name) => presetOfIds(name, valuesOf(name)));
  if (ofKnownSystem !== undefined) return ofKnownSystem;
  const possible = free.filter((name) => looksLikeId(name) && canIdentify(valuesOf(name)));
  return possible.find((name) => !otherWords.test(foldName(name))) ?? possible[0];
}

/** Asks for the option that identifies customers, and suggests one. */
export function askForId(
  names: readonly string[],
  fields: readonly (Field | undefined)[],
  preset: Preset | undefined,
  valuesOf: ValuesOf,
): string {
  const uuids = uuidColumns(names, valuesOf);
  if (uuids.length > 1) {
    const choices = uuids.map((name) => `--map ${shellQuoted(`${name}=uuid`)}`);
    return `Several columns contain UUIDs. Choose the one that identifies customers: ${choices.join(' or ')}`;
  }
  const system = preset
    ? `This ${preset.system} export has no identifiers`
    : 'No column contains UUIDs';
  const to = `${system}. To derive them from a column that identifies customers, add: --id-column`;
  const own = likelyId(names, fields, valuesOf);
  if (own !== undefined) return `${to} ${suggestedId(own, valuesOf)}`;
  const email = names[fields.indexOf('email_address')];
  if (email === undefined) return `${to} ${placeholder}:NAME${whereSystem}`;
  return `${to} ${shellQuoted(email)}\nPeople with a common address would then be one customer.`;
}

const whereSystem = `\n${placeholder} stands for the name of the system that has these identifiers, such as shop or crm.`;

/** `hubspot:'Record ID'`, or `SYSTEM:Number` with an explanation. */
export function suggestedId(column: string, valuesOf: ValuesOf): string {
  const preset = presetOfIds(column, valuesOf(column));
  return preset
    ? shellQuoted(`${preset.scope}${column}`)
    : `${shellQuoted(`${placeholder}:${column}`)}${whereSystem}`;
}

/** Columns whose values are all UUIDs, different ones, and not of something else than the customer. */
export const uuidColumns = (names: readonly string[], valuesOf: ValuesOf): string[] =>
  names.filter((name) => {
    const values = valuesOf(name);
    return (
      values.length > 0 &&
      !otherWords.test(foldName(name)) &&
      new Set(values).size === values.length &&
      values.every((value) => typeof uuid(value) === 'string')
    );
  });
