import type { WireCustomer } from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';
import { drawCountry } from './countries.ts';
import { emailAddress } from './email-addresses.ts';
import { history, isoText } from './history.ts';
import { Random, scatter } from './random.ts';

const companyShare = 0.4;
const phoneShare = 0.85;
const verifiedShare = 0.7;

const random = new Random();
const hexDigits = Buffer.from('0123456789abcdef');
const uuidBytes = Buffer.from('00000000-0000-4000-8000-000000000000');

function writeHex(value: number, at: number, digits: number): void {
  for (let digit = 0; digit < digits; digit++) {
    uuidBytes[at + digit] = hexDigits[(value >>> (28 - 4 * digit)) & 15]!;
  }
}

/** Looks like a version 4 UUID. Its first 32 bits are a bijection of the index, so it is unique. */
function uuid(seed: number, index: number): string {
  writeHex(scatter(index ^ scatter(seed ^ 0x5bd1e995)), 0, 8);
  const middle = random.next();
  writeHex(middle, 9, 4);
  writeHex(middle << 16, 15, 3);
  writeHex(0x8000_0000 | (random.next() >>> 2), 19, 4);
  writeHex(random.next(), 24, 8);
  writeHex(random.next(), 32, 4);
  return uuidBytes.toString('latin1');
}

/** The customer at `index` in the list of `seed`. A pure function of the two. */
export function customerAt(seed: number, index: number): WireCustomer {
  random.restart(seed, index);
  const country = drawCountry(random);
  const person = country.person(random);
  const company = random.chance(companyShare) ? country.company(random) : null;
  const { createdAt, orders, valueCents, lastOrderAt } = history(
    random,
    company !== null,
    country.utcOffset,
  );
  return {
    ...blankCustomer,
    uuid: uuid(seed, index),
    full_name: person.fullName,
    email_address: emailAddress(random, person, company, country.mailProvider),
    phone_number: random.chance(phoneShare) ? country.phone(random) : null,
    company_name: company?.name ?? null,
    is_verified: random.chance(verifiedShare),
    total_orders: orders,
    lifetime_value_cents: valueCents,
    last_order_at: lastOrderAt === null ? null : isoText(lastOrderAt),
    created_at: isoText(createdAt),
  };
}
