/**
 * E-mail addresses built from a person's name, at common providers. All end in the reserved domain
 * `.example`, so none of them can belong to a real person.
 */
import type { Company } from './companies/company.ts';
import type { Person } from './names/person.ts';
import { type Draw, mixed, type Random, skewed } from './random.ts';

const gmailShare = 0.3;
const atWorkShare = 0.8;

type Shape = (given: string, family: string) => string;
const initial = (name: string) => name.charAt(0);

const shapes: Shape[] = [
  (given, family) => `${given}.${family}`,
  (given, family) => given + family,
  (given, family) => initial(given) + family,
  (given, family) => `${given}_${family}`,
  (given, family) => `${initial(given)}.${family}`,
  (given, family) => `${family}.${given}`,
  (given, family) => given + initial(family),
  (given, family) => family + given,
  (given, family) => `${given}-${family}`,
  (_, family) => family,
  (given) => given,
  (given, family) => `${given}.${initial(family)}`,
  (given, family) => `${family}_${given}`,
];
const privateShape = skewed(shapes, 0.8);
const workShape = skewed(shapes.slice(0, 6), 1.4);

/** Distinguishes people with the same name: a year of birth, a few digits, a tag. */
const suffix: Draw<string> = mixed<string>(
  [46, () => ''],
  [20, (random) => String(random.below(100)).padStart(2, '0')],
  [12, (random) => String(1955 + random.below(53))],
  [9, (random) => String(1 + random.below(9))],
  [6, (random) => String(100 + random.below(900))],
  [4, (random) => `_${random.below(100)}`],
  [2, (random) => `.${1955 + random.below(53)}`],
  [1, () => '+shop'],
);

export function emailAddress(
  random: Random,
  { given, family }: Person,
  company: Company | null,
  provider: Draw<string>,
): string {
  const gmail = random.chance(gmailShare);
  if (company && !gmail && random.chance(atWorkShare)) {
    return `${workShape(random)(given.latin, family.latin)}@${company.domain}`;
  }
  const local = privateShape(random)(given.latin, family.latin) + suffix(random);
  const domain = gmail ? 'gmail.com' : provider(random);
  const address = `${local}@${domain}.example`;
  return random.chance(0.01) ? address.charAt(0).toUpperCase() + address.slice(1) : address;
}
