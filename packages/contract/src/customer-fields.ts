/**
 * The fields of a customer, each declared once, in the order of the wire. Schemas, CSV, the columns that are read and
 * hidden, and imports follow from this table. The wire types are written out, and the compiler compares the two.
 */
import type { ContactField, SortField, WireCustomer } from './index.ts';

/** What a value is, and its type on the wire. */
export interface Kinds {
  uuid: string;
  text: string;
  flag: boolean;
  integer: number;
  /** ISO 8601 in UTC, with milliseconds. */
  instant: string;
}
export type Kind = keyof Kinds;

export interface CustomerField<K extends Kind = Kind> {
  kind: K;
  /** For the documentation of the API. */
  about?: string;
  /** Of text, the number of characters. */
  min?: number;
  max?: number;
  nullable?: true;
  /** What a new customer has if nothing else is said. A field that is neither nullable nor has one is required. */
  default?: Kinds[K] | 'now';
  /** Searches look at it. The database does it: `clientele.search_text` has a parameter of this name. */
  searched?: true;
  /** Lists can be sorted by it: its place among the fields that they can be sorted by. */
  sortable?: number;
  /** Hidden from callers without the scope `customers:contact`. */
  contact?: K extends 'text' ? true : never;
  /** It tells whom a row is about. Values that many share, such as companies, do not. */
  personal?: true;
  /** Other names of its column in files, in lower case and without separators, the usual ones first. */
  aliases?: string;
}

const safe = Number.MAX_SAFE_INTEGER;

/** The last one is never empty, as `spreadsheetLine` requires. */
export const customerFields = {
  uuid: {
    kind: 'uuid',
    about: 'Customer identifier, in lower case.',
    aliases: 'id guid customerid customeruuid',
  },
  full_name: {
    kind: 'text',
    min: 1,
    max: 300,
    searched: true,
    personal: true,
    aliases:
      'name fullname customer customername displayname contactname kunde nome nombre naam nomecompleto nombrecompleto nomcomplet',
  },
  email_address: {
    kind: 'text',
    about: 'Empty only if it is hidden from the caller.',
    max: 320,
    searched: true,
    contact: true,
    personal: true,
    aliases:
      'email mail emailaddress emailadresse emailid courriel adressedemessagerie adresseemail correo correoelectronico direcciondecorreoelectronico indirizzoemail indirizzopostaelettronica',
  },
  phone_number: {
    kind: 'text',
    about: 'Null if there is none, and if it is hidden from the caller.',
    max: 64,
    nullable: true,
    searched: true,
    contact: true,
    personal: true,
    aliases: 'phone phoneno telephone tel telefon telefonnummer telefono',
  },
  company_name: {
    kind: 'text',
    max: 300,
    nullable: true,
    searched: true,
    aliases:
      'company organisation organization firma employer business societe societa empresa organizacion accountname businessname',
  },
  is_verified: { kind: 'flag', default: false, aliases: 'verified emailverified verifiedemail' },
  total_orders: {
    kind: 'integer',
    about: 'Number of orders.',
    min: 0,
    max: safe,
    default: 0,
    sortable: 2,
    aliases: 'orders ordercount orderscount numberoforders paymentcount',
  },
  lifetime_value_cents: {
    kind: 'integer',
    about: 'In minor currency units. Refunds can make it negative.',
    min: -safe,
    max: safe,
    default: 0,
    sortable: 1,
    aliases: 'ltvcents valuecents',
  },
  last_order_at: {
    kind: 'instant',
    about: 'In UTC, with milliseconds. Null if the customer has no orders.',
    nullable: true,
    sortable: 3,
    aliases: 'lastorder lastorderdate lastorderedat lastpurchase',
  },
  created_at: {
    kind: 'instant',
    about: 'In UTC, with milliseconds.',
    default: 'now',
    sortable: 4,
    aliases:
      'created createddate createdate creationdate createdon createdutc signupdate signedup registeredat customersince',
  },
} as const satisfies { [Name in keyof WireCustomer]: FieldOf<Name> };

/** What the wire types say of a field. */
type FieldOf<Name extends keyof WireCustomer> = CustomerField<
  KindOf<NonNullable<WireCustomer[Name]>>
> &
  Said<'nullable', null extends WireCustomer[Name] ? true : false> &
  Said<'contact', Name extends ContactField ? true : false> &
  Said<'sortable', Name extends SortField ? true : false>;
type KindOf<Value> = { [K in Kind]: Value extends Kinds[K] ? K : never }[Kind];
type Said<Property extends string, Is extends boolean> = Is extends true
  ? Record<Property, unknown>
  : Partial<Record<Property, never>>;

export type FieldName = keyof typeof customerFields;

/** In the order of the wire. */
export const wireFields = Object.keys(customerFields) as FieldName[];

export const fieldOf = (name: FieldName): CustomerField => customerFields[name];

const those = <Name extends FieldName>(
  are: (field: CustomerField) => boolean | undefined,
): Name[] => wireFields.filter((name): name is Name => are(fieldOf(name)) === true);

/**
 * The fields that only callers with the scope `customers:contact` see. For others they are constants, whether
 * set or not: null, or empty text.
 */
export const contactFields = those<ContactField>(({ contact }) => contact);
export const sortFields = those<SortField>(({ sortable }) => sortable !== undefined).toSorted(
  (one, other) => customerFields[one].sortable - customerFields[other].sortable,
);
export const searchedFields = those(({ searched }) => searched);
export const personalFields = those(({ personal }) => personal);

export const isRequired = (field: CustomerField): boolean =>
  !field.nullable && field.default === undefined;
export const requiredFields = those(isRequired);

const blankOf = ({ nullable, default: value = '' }: CustomerField) =>
  nullable ? null : value === 'now' ? '1970-01-01T00:00:00.000Z' : value;
/** With nothing in it, for code that sets all required fields, and of the others those that it cares about. */
export const blankCustomer = Object.fromEntries(
  wireFields.map((name) => [name, blankOf(fieldOf(name))]),
) as unknown as WireCustomer;
