/** Random customers with shared names, e-mail domains and instants, and searches that find some of them. */
import { randomUUID } from 'node:crypto';
import type { Sort, WireCustomer } from '@clientele/contract';
import { blankCustomer, sortFields, wireFields } from '@clientele/contract/customer-fields';
import type pg from 'pg';
import type { Filters, ListQuery } from '@clientele/directory';
import type { Random } from './random.ts';

export const names = [
  'Anna',
  'Annabel',
  'Bo',
  'Ida',
  'Lee',
  'Smith',
  'Smithson',
  'Zoë',
  "O'Brien",
  'Quixote',
];
const domains = ['gmail.example', 'gmail.example', 'acme.example', 'shop.example'];

/** They match everyone, many, few or nobody, by one to three terms, a phone number or a single letter. */
export const sampleSearches = [
  ...['', 'gmail', 'a', 'sm', 'smith', 'quixote', 'anna gmail', 'bo lee acme', '555 01', '0132'],
  ...['zzzq', 'annabel smithson'],
];

/** Instants that several customers share, adjacent instants, and both ends of the calendar and of its periods. */
const instants = [
  ...['2024-02-29T12:00:00.000Z', '2024-02-29T12:00:00.000Z', '2024-02-29T12:00:00.001Z'],
  ...['0001-01-01T00:00:00.000Z', '1901-05-05T05:05:05.005Z', '1999-12-31T23:59:59.999Z'],
  ...['9999-12-31T23:59:59.998Z', '9999-12-31T23:59:59.999Z', '5000-01-01T00:00:00.000Z'],
  // Midnight, at the start of a year and of a week.
  ...['2023-12-31T23:59:59.999Z', '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.001Z'],
];

/** What several customers have spent, and both ends of what anybody can have. */
const values = [0, 0, 0, 100, 250, -250, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];

/** All orders but the one that lists have without the parameter. */
export const sorts = sortFields
  .flatMap((field): Sort[] => [field, `-${field}`])
  .filter((sort) => sort !== '-created_at');

export function randomCustomer(random: Random): WireCustomer {
  const [given, family] = [random.pick(names), random.pick(names)];
  const rare = random.chance(0.9) && family === 'Quixote' ? 'Smith' : family;
  return {
    ...blankCustomer,
    uuid: random.chance(0.2) ? `abc${randomUUID().slice(3)}` : randomUUID(),
    full_name: `${given} ${rare}`,
    email_address: `${given}.${random.below(100)}@${random.pick(domains)}`.replace("'", ''),
    phone_number: random.chance(0.5) ? `+1 (415) 555-01${10 + random.below(90)}` : null,
    company_name: random.chance(0.3) ? 'Lee & Sons' : null,
    is_verified: random.chance(0.5),
    total_orders: random.pick([0, 0, 1, 7]),
    lifetime_value_cents: random.chance(0.5) ? random.below(20_000) : random.pick(values),
    last_order_at: random.chance(0.3) ? null : randomInstant(random),
    created_at: randomInstant(random),
  };
}

export function randomInstant(random: Random): string {
  if (random.chance(0.4)) return new Date().toISOString();
  if (random.chance(0.6)) return random.pick(instants);
  return new Date(Date.UTC(1990, 0, 1) + random.below(1_300_000_000) * 1_000).toISOString();
}

/** Where there is no customer in the millisecond before, if it is outside 1931 to 2068. */
const joined = [
  ...instants.slice(0, 5),
  ...[
    '1900-01-01',
    '9999-12-31',
    '5000-01-01',
    '1931-01-01',
    '1990-01-01',
    '1999-12-31T23:59:59.999Z',
    '2000-01-01',
    '2010-06-01',
  ],
  ...['2024-02-29', '2024-02-29T12:00:00.002Z', '2024-03-01', '2069-01-01'],
].map((text) => Date.parse(text));

/** One filter or several. Few ranges, so that their maps are used again, and now and then one that is new. */
export function randomFilters(random: Random): Filters {
  const instant = (): number =>
    random.chance(0.05) ? Math.min(Date.now(), Date.UTC(2060)) : random.pick(joined);
  const bounds = [instant(), instant()].toSorted((a, b) => a - b);
  const filters: Filters = {
    ...(random.chance(0.4) && { verified: random.chance(0.5) }),
    ...(random.chance(0.4) && { hasOrders: random.chance(0.5) }),
    ...(random.chance(0.4) && { joinedFrom: bounds[0]! }),
    ...(random.chance(0.4) && { joinedTo: bounds[1]! }),
  };
  return Object.keys(filters).length > 0 ? filters : { verified: random.chance(0.5) };
}

/** Two pages without filters, and some with. */
export function queriesAtRest(search: string): ListQuery[] {
  const march = Date.parse('2024-03-01');
  const filters: Filters[] = [
    { verified: true },
    { verified: false, hasOrders: true },
    { joinedFrom: Date.parse('2024-02-29T12:00:00.001Z') },
    { hasOrders: false, joinedFrom: Date.parse('2000-01-01'), joinedTo: march },
  ];
  return [
    { search, page: 1, perPage: 25 },
    { search, page: 3, perPage: 25 },
    ...filters.map((each) => ({ search, page: 2, perPage: 7, filters: each })),
    { search, page: 2, perPage: 7, sort: 'created_at' },
  ];
}

/** A page in each of two orders, for directories where all are switched on. */
export const sortedAtRest = (search: string): ListQuery[] => [
  { search, page: 2, perPage: 25, sort: '-last_order_at' },
  { search, page: 1, perPage: 7, filters: { hasOrders: true }, sort: 'lifetime_value_cents' },
];

const columns = wireFields.join(', ');

/** Takes one parameter: the customers as a JSON array. */
export const insertStatement = `insert into public.customers (${columns})
  select ${columns} from jsonb_populate_recordset(null::public.customers, $1)`;

export async function insertRandomCustomers(
  client: pg.Client,
  random: Random,
  count: number,
): Promise<void> {
  const customers = Array.from({ length: count }, () => randomCustomer(random));
  await client.query(insertStatement, [JSON.stringify(customers)]);
}
