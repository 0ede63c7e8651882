/** The columns and identifiers of common systems, from their documentation and exports. */
import type { Field } from './fields.ts';
import { withoutChecksum } from './salesforce-id.ts';

export interface Description {
  /** The columns with the system's own identifiers; the first that exists is used. */
  ids: readonly string[];
  /** Columns that suggest this system even if the file has no other column of it. */
  ownIds?: readonly string[] | undefined;
  /** What its identifiers look like. A file with others is of another system. */
  idShape?: RegExp | undefined;
  /** Gives the same text for different spellings of an identifier. */
  canonicalId?: ((id: string) => string) | undefined;
  /** Times without a zone are in UTC. */
  utc?: boolean | undefined;
  /** Any of these sets of columns, or of keys in JSON, identifies the system. */
  signatures: readonly (readonly string[])[];
  columns: Record<string, Field>;
}

export const descriptions: Record<string, Description> = {
  HubSpot: {
    signatures: [
      ['Record ID', 'Create Date'],
      ['Record ID', 'Lead Status'],
      ['Record ID', 'Contact owner'],
      ['Record ID - Contact'],
      ['id', 'properties', 'createdAt', 'updatedAt'],
    ],
    ids: ['Record ID', 'Record ID - Contact', 'id'],
    ownIds: ['Record ID', 'Record ID - Contact'],
    idShape: /^\d{1,14}$/,
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
    ownIds: ['id', 'Customer ID'],
    idShape: /^cus_\w+$/,
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
    idShape: /^'?\d+$/,
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
    ownIds: ['Id', 'Contact ID', 'Lead ID'],
    idShape: /^00[0-9A-Za-z]{13}(?:[A-Z0-5]{3})?$/,
    canonicalId: withoutChecksum,
    columns: { 'Account.Name': 'company_name' },
  },
  Mailchimp: {
    signatures: [
      ['Email Address', 'LEID', 'EUID'],
      ['email_address', 'unique_email_id', 'merge_fields'],
    ],
    ids: ['EUID', 'unique_email_id'],
    ownIds: ['EUID'],
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
    ownIds: ['Intercom ID'],
    columns: { 'Signed up': 'created_at', 'First seen': 'created_at' },
  },
  Pipedrive: {
    signatures: [
      ['Person - ID', 'Person - Name'],
      ['Email - Work', 'Phone - Work', 'Open deals'],
      ['add_time', 'update_time', 'org_name'],
    ],
    ids: ['Person - ID', 'ID'],
    ownIds: ['Person - ID'],
    idShape: /^\d+$/,
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
  'Zoho CRM': {
    signatures: [
      ['Record Id', 'Contact Owner'],
      ['Contact Id', 'Contact Owner'],
      ['Contact Id', 'Account Name'],
      ['id', 'Owner', 'Last_Name', '$approved'],
    ],
    ids: ['Record Id', 'Contact Id', 'id'],
    ownIds: ['Record Id', 'Contact Id'],
    idShape: /^(?:zcrm_)?\d{15,20}$/,
    canonicalId: (id) => id.replace(/^zcrm_/, ''),
    columns: { 'Created Time': 'created_at', 'Modified Time': 'updated_at' },
  },
  Zendesk: {
    signatures: [
      ['id', 'url', 'iana_time_zone', 'organization_id'],
      ['ID', 'Tags', 'Time zone', 'Organization', 'Role'],
    ],
    ids: ['id'],
    idShape: /^\d+$/,
    columns: {},
  },
  Freshdesk: {
    signatures: [
      ['id', 'view_all_tickets', 'job_title'],
      ['Contact ID', 'Full name', 'Can see all tickets from this company'],
    ],
    ids: ['Contact ID', 'id'],
    idShape: /^\d+$/,
    columns: { 'Work phone': 'phone_number' },
  },
  Magento: {
    signatures: [
      ['ID', 'Name', 'Email', 'Customer Since', 'Web Site'],
      ['id', 'group_id', 'store_id', 'website_id'],
    ],
    ids: ['ID'],
    idShape: /^\d+$/,
    columns: {},
  },
  Klaviyo: {
    signatures: [['Klaviyo ID'], ['type', 'id', 'attributes', 'links']],
    ids: ['Klaviyo ID', 'id'],
    ownIds: ['Klaviyo ID'],
    columns: {
      'Profile Created On': 'created_at',
      'attributes.first_name': 'first_name',
      'attributes.last_name': 'last_name',
      'attributes.email': 'email_address',
      'attributes.phone_number': 'phone_number',
      'attributes.organization': 'company_name',
      'attributes.created': 'created_at',
      'attributes.updated': 'updated_at',
    },
  },
  Outlook: {
    signatures: [
      ['E-mail Address', 'E-mail Display Name'],
      ['E-mail Address', 'Business Phone', 'Home Phone'],
      ['E-Mail-Adresse', 'E-Mail: Angezeigter Name'],
      ['Adresse de messagerie', "Nom complet de l'adresse de messagerie"],
      ['Nombre de pantalla de correo electrónico'],
      ['Indirizzo posta elettronica', 'Nome visualizzato posta elettronica'],
    ],
    ids: [],
    columns: {
      'E-mail Address': 'email_address',
      'Business Phone': 'phone_number',
      'Telefon geschäftlich': 'phone_number',
      'Téléphone (bureau)': 'phone_number',
      'Teléfono del trabajo': 'phone_number',
      Ufficio: 'phone_number',
    },
  },
};
