/** What the exports of common systems look like. A system is recognised by columns that only it writes together. */
import { foldName } from './column-names.ts';
import type { Field } from './fields.ts';

export interface Preset {
  system: string;
  /** Put before identifiers: customer 17 of one system is not customer 17 of another. */
  scope: string;
  /** The columns with the system's own identifiers; the first that exists is used. */
  ids: readonly string[];
  /** How many characters of an identifier count. */
  idLength?: number | undefined;
  /** Times without a zone are in UTC. */
  utc?: boolean | undefined;
  /** By folded name, for columns that no other system names like this. */
  fields: ReadonlyMap<string, Field>;
  /** The nested values of JSON among them, as paths. */
  paths: readonly string[];
  /** Any of these sets of columns, or of keys in JSON, identifies the system. */
  signatures: readonly (readonly string[])[];
}

interface Description extends Pick<Preset, 'ids' | 'idLength' | 'utc' | 'signatures'> {
  columns: Record<string, Field>;
}

const descriptions: Record<string, Description> = {
  HubSpot: {
    signatures: [
      ['Record ID', 'Create Date'],
      ['Record ID', 'Lead Status'],
      ['Record ID', 'Contact owner'],
      ['Record ID - Contact'],
      ['id', 'properties', 'createdAt', 'updatedAt'],
    ],
    ids: ['Record ID', 'Record ID - Contact', 'id'],
    columns: {
      'Associated Company': 'company_name',
      'properties.firstname': 'first_name',
      'properties.lastname': 'last_name',
      'properties.email': 'email_address',
      'properties.phone': 'phone_number',
      'properties.company': 'company_name',
      'properties.createdate': 'created_at',
      'properties.lastmodifieddate': 'updated_at',
    },
  },
  Stripe: {
    signatures: [
      ['id', 'Created (UTC)', 'Delinquent'],
      ['id', 'object', 'invoice_prefix', 'livemode'],
    ],
    ids: ['id'],
    utc: true,
    columns: {},
  },
  Shopify: {
    signatures: [
      ['Accepts Email Marketing', 'Total Spent', 'Total Orders'],
      ['Accepts Marketing', 'Total Spent', 'Total Orders'],
      ['orders_count', 'total_spent', 'verified_email'],
    ],
    ids: ['Customer ID', 'id'],
    columns: {
      'Default Address Company': 'company_name',
      'default_address.company': 'company_name',
    },
  },
  Salesforce: {
    signatures: [
      ['Id', 'LastName', 'LastModifiedDate'],
      ['Id', 'LastName', 'AccountId'],
      ['Contact ID', 'Account Name'],
    ],
    ids: ['Id', 'Contact ID'],
    // Reports write 15 characters, exports three more as a checksum.
    idLength: 15,
    columns: { 'Account.Name': 'company_name' },
  },
  Mailchimp: {
    signatures: [
      ['Email Address', 'LEID', 'EUID'],
      ['email_address', 'unique_email_id', 'merge_fields'],
    ],
    ids: ['EUID', 'unique_email_id'],
    columns: {
      OPTIN_TIME: 'created_at',
      timestamp_opt: 'created_at',
      LAST_CHANGED: 'updated_at',
      'merge_fields.FNAME': 'first_name',
      'merge_fields.LNAME': 'last_name',
      'merge_fields.PHONE': 'phone_number',
    },
  },
  WooCommerce: {
    signatures: [
      ['Username', 'Last Active', 'AOV'],
      ['date_created_gmt', 'is_paying_customer'],
    ],
    ids: ['id'],
    columns: {
      'Sign Up': 'created_at',
      Registered: 'created_at',
      date_created_gmt: 'created_at',
      date_modified_gmt: 'updated_at',
      'billing.phone': 'phone_number',
      'billing.company': 'company_name',
    },
  },
  Intercom: {
    signatures: [
      ['Intercom ID'],
      ['First seen', 'Last seen', 'Web sessions'],
      ['workspace_id', 'external_id', 'role'],
    ],
    ids: ['Intercom ID', 'id'],
    columns: { 'Signed up': 'created_at', 'First seen': 'created_at' },
  },
  Pipedrive: {
    signatures: [
      ['Person - ID', 'Person - Name'],
      ['Email - Work', 'Phone - Work', 'Open deals'],
      ['add_time', 'update_time', 'org_name'],
    ],
    ids: ['Person - ID', 'ID'],
    utc: true,
    columns: {
      'Person - Name': 'full_name',
      'Person - Organization': 'company_name',
      'Person - Email - Work': 'email_address',
      'Person - Phone - Work': 'phone_number',
      'Person - Person created': 'created_at',
      'Person - Update time': 'updated_at',
      'Email - Work': 'email_address',
      'Phone - Work': 'phone_number',
      'Person created': 'created_at',
      'Update time': 'updated_at',
      org_name: 'company_name',
      add_time: 'created_at',
      'email.0.value': 'email_address',
      'phone.0.value': 'phone_number',
    },
  },
  'Google Contacts': {
    signatures: [
      ['E-mail 1 - Value', 'Labels'],
      ['E-mail 1 - Value', 'Group Membership'],
    ],
    ids: [],
    columns: {
      'E-mail 1 - Value': 'email_address',
      'Phone 1 - Value': 'phone_number',
      'Organization Name': 'company_name',
      'Organization 1 - Name': 'company_name',
    },
  },
};

const presets = Object.entries(descriptions).map(([system, { columns, ...rest }]): Preset => {
  const names = Object.keys(columns);
  return {
    ...rest,
    system,
    scope: `${foldName(system)}:`,
    fields: new Map(names.map((name) => [foldName(name), columns[name]!])),
    paths: names.filter((name) => name.includes('.')),
  };
});

/** `names` are the columns of a table, or the keys of a JSON object. */
export function recognise(names: readonly string[]): Preset | undefined {
  const found = new Set(names.map(foldName));
  return presets.find(({ signatures }) =>
    signatures.some((signature) => signature.every((name) => found.has(foldName(name)))),
  );
}

/** How many characters of the identifiers with this scope count; undefined for all. */
export const idLengthOf = (scope: string | undefined): number | undefined =>
  presets.find((preset) => preset.scope === scope)?.idLength;
