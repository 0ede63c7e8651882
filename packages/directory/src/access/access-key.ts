/**
 * Access keys: `ck_<id>_<secret><checksum>`. The id is public and names the key in lists and logs. The
 * secret is 256 random bits, stored as a SHA-256 hash: slow hashes protect guessable secrets, and this
 * one is not guessable. The checksum rejects a mistyped key without a query.
 */
import { hash as digest, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface NewAccessKey {
  id: string;
  /** The whole key. Shown once, never stored. */
  key: string;
  secretHash: Buffer;
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idDigits = '0123456789abcdefghijklmnopqrstuvwxyz';
const shape = /^ck_([0-9a-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export function makeAccessKey(): NewAccessKey {
  const id = Array.from({ length: 12 }, () => idDigits[randomInt(36)]).join('');
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return { id, key: `ck_${id}_${secret}${checksum(id, secret)}`, secretHash: hash(secret) };
}

/** Undefined unless the key is well-formed. */
export function parseAccessKey(key: string): { id: string; secretHash: Buffer } | undefined {
  const [, id, secret, sum] = shape.exec(key) ?? [];
  if (id === undefined || secret === undefined || sum !== checksum(id, secret)) return undefined;
  return { id, secretHash: hash(secret) };
}

/** In constant time. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const hash = (secret: string): Buffer => digest('sha256', secret, 'buffer');

/** Runs for every uncached key, so it uses numbers instead of bigints: a CRC-32 fits. */
function checksum(id: string, secret: string): string {
  let rest = crc32(id + secret);
  let text = '';
  for (let i = 0; i < 6; i += 1) {
    text = digits[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n)
    text = digits[Number(rest % 62n)] + text;
  return text;
}
