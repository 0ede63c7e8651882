/**
 * The hashes by which an erased person is recognised. Without the key, which is not in the database, nobody can find
 * out whose they are by trying addresses and numbers. The rules are in docs/decisions/suppression.md.
 */
import { hash, hkdfSync } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Secret } from '../audit/secret.ts';
import { readPhone } from './phone.ts';

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
  return toHashes(key, person, storedPhones);
}

/** What to look for to learn whether somebody is suppressed. Any match counts. */
export function lookupHashes(key: Buffer, person: Identifiers): SuppressionHash[] {
  return toHashes(key, person, lookedUpPhones);
}

function toHashes(
  key: Buffer,
  { uuid, email, phone }: Identifiers,
  phones: (text: string) => string[],
): SuppressionHash[] {
  const texts: [SuppressionKind, string][] = [];
  if (uuid) texts.push(['uuid', uuid.toLowerCase()]);
  const address = foldEmail(email ?? '');
  if (address !== '') texts.push(['email', address]);
  for (const text of phone ? phones(phone) : []) texts.push(['phone', text]);
  const prefix = keyText(key);
  return texts.map(([kind, text]) => ({
    kind,
    hash: Buffer.from(keyedHash(prefix, kind, text), 'hex'),
  }));
}

/** For many customers: the hashes of `lookupHashes` as hex, without that of the identifier. */
export function contactHasher(
  key: Buffer,
): (email: string | null, phone: string | null) => string[] {
  const prefix = keyText(key);
  return (email, phone) => {
    const address = foldEmail(email ?? '');
    const hashes = address === '' ? [] : [keyedHash(prefix, 'email', address)];
    if (phone !== null) {
      for (const text of lookedUpPhones(phone)) hashes.push(keyedHash(prefix, 'phone', text));
    }
    return hashes;
  };
}

const keyText = (key: Buffer): string => key.toString('base64');

/**
 * The key is in front and behind, so the hash cannot be extended. One call of a few hundred nanoseconds: an import
 * makes three for each record, and HMAC takes several times as long.
 */
const keyedHash = (key: string, kind: SuppressionKind, text: string): string =>
  hash('sha256', `${key}${kind}\0${text}\0${key}`);

const invisible = /[\p{Cf}\s]+/gu;
const isPlain = /^[!-~]*$/;

/** Case, width, spaces and invisible characters do not matter; a domain is compared as DNS has it. */
function foldEmail(email: string): string {
  if (isPlain.test(email)) return email.toLowerCase();
  const folded = email.normalize('NFKC').toLowerCase().replace(invisible, '');
  const at = folded.lastIndexOf('@') + 1;
  return folded.slice(0, at) + (domainToASCII(folded.slice(at)) || folded.slice(at));
}

/**
 * A number with a calling code is found in that form, and by whoever spells it without one. A number without one is
 * found with any calling code. Two numbers with different calling codes never match.
 */
function storedPhones(text: string): string[] {
  return readPhone(text).flatMap(({ callingCode, national }) =>
    callingCode === undefined
      ? [`any ${national}`]
      : [`+${callingCode}${national}`, `national ${national}`],
  );
}

function lookedUpPhones(text: string): string[] {
  return readPhone(text).flatMap(({ callingCode, national }) => [
    callingCode === undefined ? `national ${national}` : `+${callingCode}${national}`,
    `any ${national}`,
  ]);
}
