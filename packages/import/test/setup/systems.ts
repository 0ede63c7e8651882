/** Exports of common systems: their columns and the shapes of their values, with generated people. */
export interface Person {
  n: number;
  first: string;
  last: string;
}

export const people: Person[] = [
  ['Jürgen', 'Groß'],
  ['Zoé', 'Lefèvre'],
  ['Niccolò', "D'Amico"],
  ['José', 'Núñez García'],
  ['Ada', 'Example'],
  ['Li', 'Wei'],
  ['Anna', 'Müller'],
  ['Anna', 'Müller-Lüdenscheidt'],
].map(([first, last], n) => ({ n: n + 1, first: first!, last: last! }));

const emailOf = ({ n }: Person): string => `person${n}@mail.example`;

type Cell = (person: Person) => string;

const first: Cell = (person) => person.first;
const last: Cell = (person) => person.last;
const full: Cell = (person) => `${person.first} ${person.last}`;
const phone: Cell = ({ n }) => `+1 202 555 01${String(n).padStart(2, '0')}`;
const company: Cell = ({ n }) => `Example ${n % 3} & Co`;
const created: Cell = ({ n }) => `2024-01-${String(n + 10)} 09:05:00`;
const text: Cell = () => 'x';
const none: Cell = () => '';
const numbered =
  (base: number): Cell =>
  ({ n }) =>
    String(base + n);

const salesforceShort: Cell = ({ n }) => `0035g00000Exa0${n}`;
/** Only the E is in upper case, the first of the last five. */
const salesforceLong: Cell = (person) => `${salesforceShort(person)}AAB`;

export type Columns = Record<string, Cell>;

export interface System {
  system: string;
  few: Columns;
  all: Columns;
}

const name = { 'First Name': first, 'Last Name': last };

export const systems: System[] = [
  // https://knowledge.hubspot.com/import-and-export/export-records
  {
    system: 'HubSpot',
    few: { 'Record ID': numbered(10_151_000), ...name, Email: emailOf },
    all: {
      'Record ID': numbered(10_151_000),
      ...name,
      Email: emailOf,
      'Phone Number': phone,
      'Contact owner': text,
      'Lead Status': none,
      'Create Date': created,
      'Associated Company': company,
    },
  },
  // https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contact.htm
  {
    system: 'Salesforce',
    few: { 'Contact ID': salesforceShort, ...name, Email: emailOf },
    all: {
      Id: salesforceLong,
      AccountId: none,
      LastName: last,
      FirstName: first,
      Name: full,
      Phone: phone,
      Email: emailOf,
      LastModifiedDate: ({ n }) => `2024-03-${10 + n}T16:30:00.000Z`,
    },
  },
  // https://www.zoho.com/crm/developer/docs/api/v2/contacts-response.html
  {
    system: 'Zoho CRM',
    few: { 'Record Id': numbered(4_150_868_000_000_000), ...name, Email: emailOf },
    all: {
      'Record Id': ({ n }) => `zcrm_${4_150_868_000_000_000 + n}`,
      'Contact Owner.id': text,
      'Contact Owner': text,
      ...name,
      'Account Name': company,
      Email: emailOf,
      Phone: phone,
      'Created Time': created,
    },
  },
  // https://developers.pipedrive.com/docs/api/v1/Persons
  {
    system: 'Pipedrive',
    few: { 'Person - ID': numbered(0), 'Person - Name': full, 'Person - Email - Work': emailOf },
    all: {
      'Person - ID': numbered(0),
      'Person - Name': full,
      'Person - Organization': company,
      'Person - Email - Work': emailOf,
      'Person - Phone - Work': phone,
      'Person - Owner': text,
    },
  },
  // https://developer.zendesk.com/api-reference/ticketing/users/users/
  {
    system: 'Zendesk',
    few: { id: numbered(361_500_000), name: full, email: emailOf },
    all: {
      id: numbered(361_500_000),
      url: text,
      name: full,
      email: emailOf,
      phone,
      iana_time_zone: text,
      organization_id: none,
      role: text,
    },
  },
  // https://developers.intercom.com/docs/references/rest-api/api.intercom.io/contacts
  {
    system: 'Intercom',
    few: { 'Intercom ID': ({ n }) => `5ba682d23d7cf92bef87bf${n}0`, Name: full, Email: emailOf },
    all: {
      'User ID': numbered(0),
      'Intercom ID': ({ n }) => `5ba682d23d7cf92bef87bf${n}0`,
      Name: full,
      Email: emailOf,
      Phone: phone,
      'First seen': created,
      'Web sessions': numbered(0),
    },
  },
  // https://developers.freshdesk.com/api/#contacts
  {
    system: 'Freshdesk',
    few: { 'Contact ID': numbered(43_000_001_000), 'Full name': full, Email: emailOf },
    all: {
      'Contact ID': numbered(43_000_001_000),
      'Full name': full,
      Title: text,
      Company: company,
      Email: emailOf,
      'Work phone': phone,
      'Can see all tickets from this company': text,
    },
  },
  // https://help.shopify.com/en/manual/customers/import-export-customers
  {
    system: 'Shopify',
    few: { 'Customer ID': numbered(7_016_000_000_000), ...name, Email: emailOf },
    all: {
      'Customer ID': ({ n }) => `'${7_016_000_000_000 + n}`,
      ...name,
      Email: emailOf,
      'Accepts Email Marketing': () => 'no',
      'Default Address Company': company,
      Phone: phone,
      'Total Spent': () => '12.50',
      'Total Orders': numbered(0),
      Tags: none,
    },
  },
  // https://woocommerce.github.io/woocommerce-rest-api-docs/#customer-properties
  {
    system: 'WooCommerce',
    few: { Name: full, Email: emailOf },
    all: {
      Name: full,
      Username: text,
      'Last Active': none,
      'Sign Up': created,
      Email: emailOf,
      Orders: numbered(0),
      'Total Spend': () => '12.50',
      AOV: () => '3.00',
    },
  },
  // https://experienceleague.adobe.com/en/docs/commerce-admin/systems/data-transfer/data-export
  {
    system: 'Magento',
    few: { ID: numbered(0), Name: full, Email: emailOf },
    all: {
      ID: numbered(0),
      Name: full,
      Email: emailOf,
      Group: () => 'General',
      Phone: phone,
      ZIP: () => '10115',
      Country: text,
      'Customer Since': created,
      'Web Site': text,
    },
  },
  // https://docs.stripe.com/api/customers/object
  {
    system: 'Stripe',
    few: { id: ({ n }) => `cus_NffrFeUfNV2H${n}b`, Name: full, Email: emailOf },
    all: {
      id: ({ n }) => `cus_NffrFeUfNV2H${n}b`,
      Description: none,
      Email: emailOf,
      Name: full,
      'Created (UTC)': created,
      Delinquent: () => 'false',
    },
  },
  // https://mailchimp.com/help/view-export-contacts/
  {
    system: 'Mailchimp',
    few: { 'Email Address': emailOf, ...name, EUID: ({ n }) => `9a1e2f3c4${n}` },
    all: {
      'Email Address': emailOf,
      ...name,
      MEMBER_RATING: numbered(0),
      OPTIN_TIME: created,
      LEID: numbered(500),
      EUID: ({ n }) => `9a1e2f3c4${n}`,
      TAGS: none,
    },
  },
  // https://developers.klaviyo.com/en/reference/get_profiles
  {
    system: 'Klaviyo',
    few: { 'Klaviyo ID': ({ n }) => `01GDDKASAP8TKDDA2GRZDSVP4${n}`, ...name, Email: emailOf },
    all: {
      Email: emailOf,
      'Klaviyo ID': ({ n }) => `01GDDKASAP8TKDDA2GRZDSVP4${n}`,
      ...name,
      Organization: company,
      'Phone Number': phone,
      'Profile Created On': created,
      'Email Marketing Consent': text,
    },
  },
  // https://support.google.com/contacts/answer/7199294
  {
    system: 'Google Contacts',
    few: { ...name, 'E-mail 1 - Value': emailOf, Labels: () => '* myContacts' },
    all: {
      'First Name': first,
      'Middle Name': none,
      'Last Name': last,
      Nickname: none,
      'Organization Name': company,
      Labels: () => '* myContacts',
      'E-mail 1 - Label': () => 'Work',
      'E-mail 1 - Value': (person) => `${emailOf(person)} ::: other${person.n}@home.example`,
      'Phone 1 - Value': phone,
    },
  },
  // https://learn.microsoft.com/en-us/office/vba/api/outlook.contactitem
  {
    system: 'Outlook',
    few: { ...name, 'E-mail Address': emailOf },
    all: {
      Title: none,
      'First Name': first,
      'Middle Name': none,
      'Last Name': last,
      Company: company,
      'Business Phone': phone,
      'Home Phone': none,
      'E-mail Address': emailOf,
      'E-mail Type': () => 'SMTP',
      'E-mail Display Name': full,
    },
  },
];

/** Outlook writes its columns in the language of its user. Others write theirs in English, or as the user names them. */
export const outlook = [
  {
    language: 'German',
    names: ['Vorname', 'Nachname', 'E-Mail-Adresse'],
    others: ['Firma', 'Telefon geschäftlich', 'E-Mail: Angezeigter Name'],
  },
  {
    language: 'French',
    names: ['Prénom', 'Nom', 'Adresse de messagerie'],
    others: ['Société', 'Téléphone (bureau)', "Nom complet de l'adresse de messagerie"],
  },
  {
    language: 'Spanish',
    names: ['Nombre', 'Apellidos', 'Dirección de correo electrónico'],
    others: ['Organización', 'Teléfono del trabajo', 'Nombre de pantalla de correo electrónico'],
  },
  {
    language: 'Italian',
    names: ['Nome', 'Cognome', 'Indirizzo posta elettronica'],
    others: ['Società', 'Ufficio', 'Nome visualizzato posta elettronica'],
  },
].map(({ language, names, others }) => {
  const [few, more] = [
    columnsOf(names, [first, last, emailOf]),
    columnsOf(others, [company, phone, full]),
  ];
  return { system: 'Outlook', language, unused: others[2]!, few, all: { ...few, ...more } };
});

function columnsOf(names: readonly string[], cells: readonly Cell[]): Columns {
  return Object.fromEntries(names.map((each, i) => [each, cells[i]!]));
}

/** As CSV, in this order of people. */
export function exportOf(columns: Columns, whom: readonly Person[]): string {
  const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const names = Object.keys(columns);
  const rows = whom.map((person) => names.map((each) => quote(columns[each]!(person))).join(','));
  return [names.map(quote).join(','), ...rows, ''].join('\n');
}
