/** The fields a file can have, and how the text of each is parsed. */
import { createHash } from 'node:crypto';
import {
  customerFields,
  isRequired,
  wireFields,
  type CustomerField,
  type FieldName,
  type Kind,
} from '@clientele/contract/customer-fields';
import { readDigits } from './cell-text.ts';
import { parseDate, type DateOptions } from './dates.ts';
import { fault, type Fault } from './faults.ts';
import { amountInCents, currencyCode, wholeNumber } from './numbers.ts';
import { aheadBy, isFarAhead } from './record-time.ts';

export type Column = FieldName | 'updated_at';
/** In the order in which COPY writes them to the staging table. */
export const columns: readonly Column[] = [...wireFields, 'updated_at'];

/** Fields that are converted to a column. */
export const derived = {
  first_name: 'full_name',
  last_name: 'full_name',
  lifetime_value: 'lifetime_value_cents',
} as const satisfies Record<string, Column>;

/** Where the value of a field is stored. */
export const columnOf = {
  ...(Object.fromEntries(columns.map((column) => [column, column])) as Record<Column, Column>),
  ...derived,
};

/** `currency` is not stored: the amounts of all customers must be in the same one. */
export type Field = Column | keyof typeof derived | 'currency';

const { full_name, email_address, phone_number, lifetime_value_cents } = customerFields;

/** Those of a customer, and others that files have. */
export const fileFields: Record<Field, CustomerField> = {
  ...customerFields,
  updated_at: {
    kind: 'instant',
    nullable: true,
    aliases:
      'updated updateddate updatedon modified modifiedat lastmodified lastmodifieddate lastupdated',
  },
  first_name: {
    kind: 'text',
    max: full_name.max,
    default: '',
    aliases: 'firstname givenname forename fname vorname prenom primonome primernombre voornaam',
  },
  last_name: {
    kind: 'text',
    max: full_name.max,
    default: '',
    aliases:
      'lastname surname familyname lname nachname familienname nom nomdefamille cognome apellido apellidos primerapellido sobrenome apelido achternaam',
  },
  lifetime_value: {
    kind: 'integer',
    default: 0,
    aliases: 'ltv totalspent totalspend revenue totalrevenue',
  },
  currency: { kind: 'text', nullable: true, aliases: 'wahrung' },
};
export const fieldNames = Object.keys(fileFields) as Field[];

/** null: no value. */
export type Value = string | null;
export type ParseValue = (text: string) => Value | Fault;

/** Matches the check constraint in PostgreSQL, where format characters count as control characters. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};
const longer = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || codePoints(text) > max);

const lineBreak = /[\r\n\u2028\u2029]/;

/** One line of text, without spaces around it unless `raw`. */
function line(text: string, max: number, raw: boolean): string | Fault {
  const value = raw ? text : text.trim();
  if (!raw && lineBreak.test(value)) return fault['line-break'];
  return longer(value, max) ? fault['too-long'] : value;
}

const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const otherUuid =
  /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/;

export function uuid(text: string): Value | Fault {
  if (canonicalUuid.test(text)) return text;
  const parts = otherUuid.exec(text.trim().toLowerCase());
  return parts ? parts.slice(1).join('-') : text.trim() === '' ? fault.required : fault.uuid;
}

/**
 * Deterministic: in one namespace, the same text always gives the same UUID. A preview has no database and therefore
 * no namespace; it says what the UUID would be derived from.
 */
export function derivedUuid(text: string, namespace: Buffer | undefined): Value | Fault {
  const name = text.trim();
  if (name === '') return fault.required;
  if (lineBreak.test(name)) return fault['line-break'];
  if (!namespace) return `derived from ${name}`;
  const hash = createHash('sha1').update(namespace).update(name).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return uuid(hex);
}

/** Deliberately loose: only the mail system can decide whether an address exists. */
const email = /^[^\s@]+@[^\s@]+$|^"[^\r\n]+"@[^\s@]+$/u;

/** `raw`: whatever the table accepts. */
function emailAddress(text: string, raw: boolean): Value | Fault {
  if (raw) return text === '' ? fault.required : line(text, email_address.max, raw);
  const trimmed = text.trim();
  if (trimmed === '') return fault.required;
  if (longer(trimmed, email_address.max)) return fault['too-long'];
  return email.test(trimmed) && visible.test(trimmed) ? trimmed : fault.email;
}

const booleans = new Map<string, string>();
for (const text of 'true t yes y 1 on x wahr ja vrai oui verdadero sí si vero waar'.split(' ')) {
  booleans.set(text, 't');
}
for (const text of 'false f no n 0 off falsch nein faux non falso onwaar nee'.split(' ')) {
  booleans.set(text, 'f');
}

export const isFalse = (text: string): boolean => booleans.get(text.toLowerCase()) === 'f';

const isEmpty = (text: string): boolean => text === '' || text.trim() === '';

/** For dates, numbers and booleans, an empty string is the same as an empty cell. */
const unlessEmpty = (parse: ParseValue, otherwise: Value | Fault): ParseValue => {
  return (text) => (isEmpty(text) ? otherwise : parse(text));
};

export interface ParseOptions extends DateOptions {
  /** Take values as written. */
  raw?: boolean | undefined;
  /** Whether amounts may be in this currency. */
  isExpected: (currency: string) => boolean;
  /** Called for a value with several parts, of which the first is used. */
  onSeveral?: (() => void) | undefined;
  /** Called for a time of a record that is hours in the future. */
  onAhead?: (() => void) | undefined;
}

/** How Google Contacts joins values. */
const separator = ' ::: ';

export function firstPart(text: string): string {
  const at = text.indexOf(separator);
  return at < 0 ? text : text.slice(0, at).trim();
}

export function parsers(options: ParseOptions): Record<Field, ParseValue> {
  const { raw = false, isExpected } = options;
  const date = unlessEmpty((text) => parseDate(text, options), null);
  const past: ParseValue = (text) => {
    const value = date(text);
    return typeof value === 'string' && isFarAhead(value) ? fault['date-future'] : value;
  };
  const first = (text: string): string => {
    const at = raw ? -1 : text.indexOf(separator);
    if (at < 0) return text;
    options.onSeveral?.();
    return text.slice(0, at);
  };
  const ofKind: Record<Kind, (field: CustomerField) => ParseValue> = {
    uuid: () => uuid,
    text(field) {
      const { max = Infinity } = field;
      if (!isRequired(field)) return (text) => line(text, max, raw);
      const isThere = (text: string): boolean => (raw ? text !== '' : visible.test(text));
      return (text) => (isThere(text) ? line(text, max, raw) : fault.required);
    },
    flag: (field) =>
      unlessEmpty(
        (text) => booleans.get(text) ?? booleans.get(text.trim().toLowerCase()) ?? fault.boolean,
        emptyValue(field),
      ),
    integer(field) {
      const { min = -Infinity, max = Infinity } = field;
      return unlessEmpty((text) => wholeNumber(text, min, max), emptyValue(field));
    },
    instant: () => (raw ? date : past),
  };
  const { min, max } = lifetime_value_cents;
  return {
    ...eachField((field) => ofKind[field.kind](field)),
    email_address: (text) => emailAddress(first(text), raw),
    phone_number(text) {
      const value = line(first(text), phone_number.max, raw);
      return typeof value === 'string' && !raw ? readDigits(value) : value;
    },
    lifetime_value: unlessEmpty((text) => amountInCents(text, min, max, isExpected), '0'),
    updated_at(text) {
      const value = past(text);
      if (typeof value === 'string' && aheadBy(value) === 'hours') options.onAhead?.();
      return value;
    },
    currency: unlessEmpty((text) => {
      const code = currencyCode(text);
      return code !== undefined && isExpected(code) ? code : fault.currency;
    }, null),
  };
}

const eachField = <T>(make: (field: CustomerField) => T): Record<Field, T> =>
  Object.fromEntries(fieldNames.map((name) => [name, make(fileFields[name])])) as Record<Field, T>;

/** What a new customer gets if its record does not give the field. */
const defaultValue = ({ default: value }: CustomerField): Value =>
  typeof value === 'boolean' ? (value ? 't' : 'f') : value === undefined ? null : String(value);
export const defaultValues = eachField(defaultValue);

const emptyValue = (field: CustomerField): Value | Fault =>
  isRequired(field) ? fault.required : field.default === 'now' ? null : defaultValue(field);
/** The value of an empty cell in CSV, or null in JSON. */
export const emptyValues = eachField(emptyValue);
