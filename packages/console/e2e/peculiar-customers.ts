/** Customers that are hard to display. The first eight share a company, so one search finds them. */
import type { WireCustomer } from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';

const company = 'Peculiar & Sons';

function customer(number: number, facts: Partial<WireCustomer>): WireCustomer {
  const id = String(number).padStart(12, '0');
  return {
    ...blankCustomer,
    uuid: `00000000-0000-4000-8000-${id}`,
    full_name: 'Nobody',
    email_address: `peculiar.${number}@directory.example`,
    company_name: company,
    total_orders: 3,
    lifetime_value_cents: 12_345,
    last_order_at: '2026-03-01T23:30:00.000Z',
    created_at: `2019-01-0${(number % 9) + 1}T08:00:00.000Z`,
    ...facts,
  };
}

export const canary = 'canary-5e1f0c';

export const peculiarCustomers: WireCustomer[] = [
  customer(1, { full_name: 'مُحَمَّد الفَارِسِي', company_name: `شركة الشرق ${company}` }),
  customer(2, { full_name: 'שָׁלוֹם אֲבִיגָיִל', is_verified: true }),
  customer(3, {
    full_name:
      'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff-Adolph-Charles-David-Earl-Frederick-Gerald senior',
    company_name: `${company} Gesellschaft für außergewöhnlich lange Firmennamen mit beschränkter Haftung`,
    email_address: `${'very-long-mailbox-name.'.repeat(4)}end@subdomain.of.a.long.domain.directory.example`,
    lifetime_value_cents: 987_654_321_00,
    total_orders: 123_456,
  }),
  customer(4, { full_name: '=HYPERLINK("https://evil.example","Click")', total_orders: 0 }),
  customer(5, {
    full_name: 'Refunded Rita',
    lifetime_value_cents: -4_250,
    phone_number: '+1 (415) 555-0199',
  }),
  customer(6, { full_name: 'Jürgen Müller-Straßburger', phone_number: '+49 (0)170 555-0188' }),
  customer(7, {
    full_name: `Only ${canary}`,
    email_address: `${canary}@directory.example`,
    last_order_at: null,
    total_orders: 0,
    lifetime_value_cents: 0,
  }),
  customer(8, { full_name: '田中 太郎', phone_number: '+81 3-5550-0123' }),
  // Of another company: one person, entered three times.
  customer(9, {
    full_name: 'Tina Twice',
    company_name: 'Twice Ltd',
    email_address: 'tina@twice.example',
    phone_number: '+44 20 7946 0018',
  }),
  customer(10, {
    full_name: 'T. Twice',
    company_name: null,
    email_address: 'Tina@Twice.example',
  }),
  customer(11, {
    full_name: 'Christina Twice',
    company_name: 'Twice Ltd',
    email_address: 'christina@twice.example',
    phone_number: '0044 2079460018',
  }),
];
