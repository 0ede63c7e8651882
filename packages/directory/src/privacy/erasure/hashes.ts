/**
 * The hashes by which an erased person is recognised. Without the key, which is not in the database, nobody can find
 * out whose they are by trying addresses and numbers. The rules are in docs/decisions/suppression.md.
 */
import { hash, hkdfSync } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Secret } from '../../settings/secret.ts';
import { readPhone, type Phone } from './phone.ts';
import { sipHasher } from './siphash.ts';

export type SuppressionKind = 'uuid' | 'email' | 'phone';

export interface Identifiers {
  uuid?: string | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
}

export interface SuppressionHash {
  kind: SuppressionKind;
  hash: Buffer;
}

export const suppressionKey = ({ searchKey }: Secret): Buffer =>
  Buffer.from(hkdfSync('sha256', searchKey, '', 'clientele suppression', 32));

/** What is stored when a person is erased. */
export function suppressionHashes(key: Buffer, person: Identifiers): SuppressionHash[] {
  return toHashes(key, person, storedForms);
}

/** What to look for to learn whether somebody is suppressed. Any match counts. */
export function lookupHashes(key: Buffer, person: Identifiers): SuppressionHash[] {
  return toHashes(key, person, lookedUpForms);
}

function toHashes(
  key: Buffer,
  { uuid, email, phone }: Identifiers,
  formsOf: (phone: Phone) => string[],
): SuppressionHash[] {
  const hashes = new KeyedHashes(key);
  const found: [SuppressionKind, string][] = [];
  if (uuid) found.push(['uuid', hashes.ofText('uuid', uuid.toLowerCase())]);
  for (const address of emailsIn(email ?? '')) {
    found.push(['email', hashes.ofText('email', address)]);
  }
  for (const each of phone ? readPhone(phone) : []) {
    for (const form of formsOf(each)) found.push(['phone', hashes.ofPhone(each, form)]);
  }
  return found.map(([kind, hash]) => ({ kind, hash: Buffer.from(hash, 'hex') }));
}

/** For many customers, of whom few are suppressed. */
export class ContactHasher {
  readonly #hashes: KeyedHashes;

  constructor(key: Buffer) {
    this.#hashes = new KeyedHashes(key);
  }

  /** The hashes of `lookupHashes` as hex, without that of the identifier. */
  hashes(email: string | null, phone: string | null): string[] {
    const hashes = emailsIn(email ?? '').map((each) => this.#hashes.ofText('email', each));
    for (const each of phone === null ? [] : readPhone(phone)) {
      for (const form of lookedUpForms(each)) hashes.push(this.#hashes.ofPhone(each, form));
    }
    return hashes;
  }

  /** Whether the mark of one of those hashes, its first four bytes, passes the test. */
  someMark(email: string | null, phone: string | null, test: (mark: number) => boolean): boolean {
    const addresses = emailsIn(email ?? '');
    if (addresses.some((each) => test(this.#hashes.markOf('email', each)))) return true;
    if (phone === null) return false;
    return readPhone(phone).some(({ national }) => test(this.#hashes.markOf('phone', national)));
  }
}

/**
 * The first four bytes of a hash are its mark. It is the same for all forms of a phone number and is quickly found, so
 * an import makes hardly any hash. The rest is by SHA-256 with the key in front and behind, so that it cannot be
 * extended.
 */
class KeyedHashes {
  readonly #key: string;
  readonly #marks: Record<SuppressionKind, (text: string) => number>;

  constructor(key: Buffer) {
    this.#key = key.toString('base64');
    const marksOf = (kind: SuppressionKind): ((text: string) => number) =>
      sipHasher(Buffer.from(hkdfSync('sha256', key, '', `marks of ${kind}`, 16)));
    this.#marks = { uuid: marksOf('uuid'), email: marksOf('email'), phone: marksOf('phone') };
  }

  /** As hex. */
  ofText(kind: SuppressionKind, text: string, marked = text): string {
    const mark = this.markOf(kind, marked).toString(16).padStart(8, '0');
    return mark + hash('sha256', `${this.#key}${kind}\0${text}\0${this.#key}`).slice(8);
  }

  ofPhone({ national }: Phone, form: string): string {
    return this.ofText('phone', form, national);
  }

  markOf(kind: SuppressionKind, text: string): number {
    return this.#marks[kind](isPlain.test(text) ? text : encodeURI(text.toWellFormed()));
  }
}

const isPlain = /^[!-~]*$/;
/** What an address has around it: a name, brackets, quotes, `mailto:`, another address, a dot at the end. */
const isDecorated = /[^!-~]|[:;,"<>/|&]|\.$/;
const quoted = /"([^"@]*)"(?=@)/g;
/** Between two addresses. `/`, `|` and `&` may also be in front of the `@`: they count only behind a domain. */
const between = /[;,<>]| ?[/|&](?<=@[^ /|&@]+ ?[/|&])/;

/** The addresses in a field, each as plainly as it can be written. */
function emailsIn(email: string): string[] {
  if (!isDecorated.test(email)) return email === '' ? [] : [email.toLowerCase()];
  const text = email
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Cf}+/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?@ ?/g, '@')
    .replaceAll(quoted, (_, name: string) => withoutSpaces(name));
  const addresses = text
    .split(between)
    // A space is between two addresses, or a mistake in one.
    .flatMap((part) => (/@.*@/.test(part) ? part.split(' ') : withoutSpaces(part)))
    .filter((part) => /.@./.test(part))
    .map(plainEmail);
  if (addresses.length > 0) return [...new Set(addresses)];
  const whole = withoutSpaces(text);
  return whole === '' ? [] : [whole];
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '');

/** With its domain as DNS has it. */
function plainEmail(part: string): string {
  const address = part.replace(/^mailto:/, '').replace(/(@[^?]*)\?.*$/, '$1');
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  const ascii = isPlain.test(domain) ? domain : domainToASCII(domain) || domain;
  return address.slice(0, at) + ascii.replace(/\.+$/, '');
}

/**
 * A number with a calling code is found in that form, and by whoever spells it without one. A number without one is
 * found with any calling code. Two numbers with different calling codes never match.
 */
const storedForms = ({ callingCode, national }: Phone): string[] =>
  callingCode === undefined
    ? [`any ${national}`]
    : [`+${callingCode}${national}`, `national ${national}`];

const lookedUpForms = ({ callingCode, national }: Phone): string[] => [
  callingCode === undefined ? `national ${national}` : `+${callingCode}${national}`,
  `any ${national}`,
];
