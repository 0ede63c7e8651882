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
  return toHashes(key, person, emailsIn, storedForms);
}

/** What to look for to learn whether somebody is suppressed. Any match counts. */
export function lookupHashes(key: Buffer, person: Identifiers): SuppressionHash[] {
  return toHashes(key, person, lookedUpEmails, lookedUpForms);
}

function toHashes(
  key: Buffer,
  { uuid, email, phone }: Identifiers,
  addressesIn: (email: string) => string[],
  formsOf: (phone: Phone) => string[],
): SuppressionHash[] {
  const hashes = new KeyedHashes(key);
  const found: [SuppressionKind, string][] = [];
  if (uuid) found.push(['uuid', hashes.ofText('uuid', uuid.toLowerCase())]);
  for (const address of addressesIn(email ?? '')) {
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
    const hashes = lookedUpEmails(email ?? '').map((each) => this.#hashes.ofText('email', each));
    for (const each of phone === null ? [] : readPhone(phone)) {
      for (const form of lookedUpForms(each)) hashes.push(this.#hashes.ofPhone(each, form));
    }
    return hashes;
  }

  /** Whether the mark of one of those hashes, its first four bytes, passes the test. */
  someMark(email: string | null, phone: string | null, test: (mark: number) => boolean): boolean {
    const addresses = lookedUpEmails(email ?? '');
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

const invisible = /[\p{Cf}\s]+/gu;
const isPlain = /^[!-~]*$/;

/** Case, width, spaces and invisible characters do not matter; a domain is compared as DNS has it. */
function foldEmail(email: string): string {
  if (isPlain.test(email)) return email.toLowerCase();
  const folded = email.normalize('NFKC').toLowerCase().replace(invisible, '');
  const at = folded.lastIndexOf('@') + 1;
  return folded.slice(0, at) + (domainToASCII(folded.slice(at)) || folded.slice(at));
}

/** What an address has around it: `mailto:`, a name, angle brackets, quotes, another address, a dot at the end. */
const isDecorated = /[:;,"<>]|\.$/;

/** The addresses in a field, each as plainly as it can be written. */
function emailsIn(email: string): string[] {
  const folded = foldEmail(email);
  if (!isDecorated.test(folded)) return folded === '' ? [] : [folded];
  const addresses = folded
    .replaceAll(/"([^"@]*)"(?=@)/g, '$1')
    .split(/[;,<>]/)
    .filter((part) => /.@./.test(part))
    .map((part) =>
      part
        .replace(/^mailto:/, '')
        .replace(/\?.*$/, '')
        .replace(/\.+$/, ''),
    );
  return addresses.length === 0 ? [folded] : addresses;
}

/** Also as it is written: that is how earlier versions stored it. */
function lookedUpEmails(email: string): string[] {
  const addresses = emailsIn(email);
  const written = foldEmail(email);
  return isDecorated.test(written) ? [...new Set([...addresses, written])] : addresses;
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
